import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { COSEALG } from "@simplewebauthn/server/helpers";
import type { Accounts, User } from "./accounts.ts";
import type { ChallengeOwner, Challenges } from "./challenges.ts";

/** The site, as passkeys know it. It comes from the configuration, never from a request. */
export interface RelyingParty {
  /** The domain that passkeys belong to. It cannot change later: every passkey would be lost. */
  readonly id: string;
  /** The name that the browser shows. */
  readonly name: string;
  readonly origins: readonly string[];
}

/** The two ceremonies of WebAuthn, each in two steps. What comes from a browser is `unknown` until it is verified. */
export interface Ceremonies {
  beginRegistration(user: User, browserId: string): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /** Adds the passkey to the user. Returns false if it is refused. */
  finishRegistration(user: User, browserId: string, answer: unknown, name: string): Promise<boolean>;
  /** Begins a sign-in, or, with the id of the user who is logged in, a step-up. */
  beginSignIn(browserId: string, userId?: string): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** Returns the id of the user whose passkey has answered, in a step-up that of the same user only; `undefined` if it is refused. */
  finishSignIn(browserId: string, answer: unknown, userId?: string): Promise<string | undefined>;
}

/** The algorithms of every Node and every browser. The library's default asks the present Node, which another one may not equal. */
const supportedAlgorithmIDs = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];

/** Creates the ceremonies of a site. */
export function createCeremonies(
  site: RelyingParty,
  accounts: Accounts,
  challenges: Challenges,
  now: () => number,
): Ceremonies {
  const expected = (owner: ChallengeOwner) => ({
    // The challenge is taken before its answer is verified, so that nobody tries a second one.
    expectedChallenge: (challenge: string) => challenges.take(challenge, owner),
    expectedOrigin: [...site.origins],
    expectedRPID: site.id,
    // The passkey stands for the code: the device must have checked a finger, a face or a PIN.
    requireUserVerification: true,
  });

  return {
    async beginRegistration({ id, phone }, browserId) {
      const options = await generateRegistrationOptions({
        rpName: site.name,
        rpID: site.id,
        userID: new TextEncoder().encode(id),
        userName: phone ?? "Your account",
        // One passkey of each authenticator: another one would replace it there, and stay here.
        excludeCredentials: descriptorsOf(accounts, id),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        supportedAlgorithmIDs,
      });
      challenges.add(options.challenge, { browserId, userId: id });
      return options;
    },

    async finishRegistration({ id: userId }, browserId, answer, name) {
      const verified = await accepted(() =>
        verifyRegistrationResponse({
          response: answer as RegistrationResponseJSON,
          supportedAlgorithmIDs,
          ...expected({ browserId, userId }),
        }),
      );
      if (!verified?.registrationInfo) return false;
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      return accounts.addPasskey({ id, userId, publicKey, counter, transports, name, createdAt: now() });
    },

    async beginSignIn(browserId, userId) {
      const options = await generateAuthenticationOptions({
        rpID: site.id,
        userVerification: "required",
        // A sign-in names no credentials: it would tell strangers whether a number has some.
        ...(userId !== undefined && { allowCredentials: descriptorsOf(accounts, userId) }),
      });
      challenges.add(options.challenge, { browserId, userId });
      return options;
    },

    async finishSignIn(browserId, answer, userId) {
      const response = answer as AuthenticationResponseJSON;
      const passkey = typeof response?.id === "string" ? accounts.findPasskey(response.id) : undefined;
      if (!passkey || (userId !== undefined && passkey.userId !== userId)) return undefined;
      const { id, publicKey, counter } = passkey;
      const verified = await accepted(() =>
        verifyAuthenticationResponse({
          response,
          credential: { id, publicKey, counter },
          ...expected({ browserId, userId }),
        }),
      );
      if (!verified?.verified) return undefined;
      // The passkey may have been removed, or used by a copy of it, while this answer was verified.
      return accounts.usePasskey(id, verified.authenticationInfo.newCounter, now()) ? passkey.userId : undefined;
    },
  };
}

function descriptorsOf(accounts: Accounts, userId: string): { id: string; transports: string[] }[] {
  return accounts.passkeysOf(userId).map(({ id, transports }) => ({ id, transports: [...transports] }));
}

/** The library throws for whatever is wrong with an answer. The person learns only that it was refused. */
async function accepted<Verified>(verify: () => Promise<Verified>): Promise<Verified | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** What an authenticator and its browser say, where it is not what they should. */
export interface Deviation {
  /** The origin of the page, as the browser writes it down. */
  readonly origin?: string;
  /** The domain that the authenticator signs. */
  readonly rpId?: string;
  /** Whether the device has checked the person. */
  readonly isUserVerified?: boolean;
  readonly counter?: number;
  /** The ceremony that the browser writes down. */
  readonly type?: string;
}

/** An authenticator with one passkey, and the browser around it, as the bytes that they send. */
export interface Authenticator {
  readonly id: string;
  /** Answers the options of a registration. */
  register(options: { readonly challenge: string }, deviation?: Deviation): object;
  /** Answers the options of a sign-in. */
  signIn(options: { readonly challenge: string }, deviation?: Deviation): object;
}

/** The flags of the authenticator's data. */
const isPresent = 1;
const isVerified = 4;
const hasCredential = 64;

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest();

/**
 * Creates an authenticator, written from WebAuthn Level 3 and without the library that the example verifies with.
 *
 * @param id - the id of its credential; that of another one for an authenticator that lies.
 */
export function createAuthenticator(page: { origin: string; rpId: string }, id = randomBytes(16)): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  // A map of COSE: the type of the key is EC2, its algorithm ES256, its curve P-256.
  const key = Buffer.concat([
    Buffer.from("a50102032620012158 20".replaceAll(" ", ""), "hex"),
    Buffer.from(x, "base64url"),
    Buffer.from("225820", "hex"),
    Buffer.from(y, "base64url"),
  ]);
  let count = 0;

  function dataOf(
    { rpId = page.rpId, isUserVerified = true, counter = ++count }: Deviation,
    credential?: Buffer,
  ): Buffer {
    const flags = isPresent | (isUserVerified ? isVerified : 0) | (credential ? hasCredential : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), head, credential ?? Buffer.alloc(0)]);
  }

  function clientDataOf(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = page.origin } = deviation;
    return Buffer.from(JSON.stringify({ type: deviation.type ?? type, challenge, origin, crossOrigin: false }));
  }

  function answerOf(response: Readonly<Record<string, Buffer>>): object {
    const texts = Object.entries(response).map(([name, bytes]) => [name, bytes.toString("base64url")]);
    const credentialId = id.toString("base64url");
    return {
      id: credentialId,
      rawId: credentialId,
      type: "public-key",
      response: Object.fromEntries(texts),
      clientExtensionResults: {},
    };
  }

  return {
    id: id.toString("base64url"),
    register({ challenge }, deviation = {}) {
      const length = Buffer.from([0, id.length]);
      const authData = dataOf(deviation, Buffer.concat([Buffer.alloc(16), length, id, key]));
      // A map of CBOR: no attestation, and the authenticator's data with its length in one byte.
      const attestationObject = Buffer.concat([
        Buffer.from("a3", "hex"),
        Buffer.from("cfmt"),
        Buffer.from("dnone"),
        Buffer.from("gattStmt"),
        Buffer.from("a0", "hex"),
        Buffer.from("hauthData"),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      return answerOf({ attestationObject, clientDataJSON: clientDataOf("webauthn.create", challenge, deviation) });
    },
    signIn({ challenge }, deviation = {}) {
      const clientDataJSON = clientDataOf("webauthn.get", challenge, deviation);
      const authenticatorData = dataOf(deviation);
      const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(clientDataJSON)]), privateKey);
      return answerOf({ clientDataJSON, authenticatorData, signature });
    },
  };
}

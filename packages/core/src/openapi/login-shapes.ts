import { z } from "zod";
import type { LoginTokens } from "../http/carriers.ts";
import type { LoggedInState, LoginState, NoLoginState } from "../http/login-state.ts";
import type { VerifiedState } from "../http/proof-source.ts";
import type { CodeDelivery } from "../login/code-delivery.ts";
import type { LoginOffer } from "../login/offer.ts";

/*
 * The shapes of what a login answers, for its description. No request needs them, so they are not where the types are: nothing is built
 * before somebody asks for the description. The compiler holds them to the types, and the tests hold every answer to them.
 */

const seconds = z.int().min(0);
const deliveryStatus = z.enum(["sending", "sent", "delivered", "failed", "unknown"]);
const token = z.string().exactOptional();
const account = { userId: z.string(), user: z.unknown().optional() };

const delivery: z.ZodType<CodeDelivery> = z.object({
  status: deliveryStatus,
  channel: z.string().exactOptional(),
  attempts: z.array(z.object({ channel: z.string(), status: deliveryStatus })),
});

const none: z.ZodType<NoLoginState> = z.object({ status: z.literal("none"), version: z.string() });

const loggedInMembers = {
  status: z.literal("logged_in"),
  version: z.string(),
  ...account,
  result: z.unknown().optional(),
};
const loggedIn: z.ZodType<LoggedInState> = z.object(loggedInMembers);

const codeSentMembers = {
  status: z.literal("code_sent"),
  version: z.string(),
  transaction: z.string(),
  phone: z.string(),
  expiresInSeconds: seconds,
  resendInSeconds: seconds,
  attemptsLeft: z.int().min(0),
  checkInSeconds: seconds,
  codeLength: z.int().min(1).nullable(),
  delivery: delivery.nullable(),
  userId: z.string().exactOptional(),
  user: account.user,
};
const codeSent: z.ZodType<LoginState> = z.object(codeSentMembers);

const started: z.ZodType<LoginState & Pick<LoginTokens, "transactionToken">> = z.object({
  ...codeSentMembers,
  number: z.string().exactOptional(),
  transactionToken: token,
});

const confirmed: z.ZodType<LoginState & Pick<LoginTokens, "sessionToken" | "deviceToken">> = z.object({
  ...loggedInMembers,
  sessionToken: token,
  deviceToken: token,
});

const verified: z.ZodType<VerifiedState> = z.object({
  status: z.literal("verified"),
  version: z.string(),
  phone: z.string(),
  proof: z.string(),
  expiresInSeconds: seconds,
});

const offer: z.ZodType<LoginOffer> = z.object({
  countries: z.array(z.object({ country: z.string(), callingCode: z.string(), example: z.string() })),
  channels: z.array(z.string()),
  codeLength: z.int().min(1).nullable(),
});

const problem = z.object({
  type: z.string().describe("The address of the section about `code` in the documents."),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string().optional(),
  retryAfterSeconds: seconds.optional(),
  attemptsLeft: z.int().min(0).optional(),
  checkInSeconds: seconds.optional(),
});

/** The shapes of all answers, by their name in the description. */
export const answerShapes: Readonly<Record<string, z.ZodType>> = {
  NoLoginState: none.describe("Not logged in, and no code is on its way."),
  LoggedInState: loggedIn.describe("Logged in."),
  CodeSentState: codeSent.describe("A code was sent and not yet confirmed."),
  VerifiedState: verified.describe("A number was proven without an account, at a mount with the purpose `verify`."),
  StartedLogin: started.describe("A code was sent. `transactionToken` is for clients that ask for tokens."),
  ConfirmedLogin: confirmed.describe(
    "Logged in. `sessionToken` and `deviceToken` are for clients that ask for tokens.",
  ),
  LoginOffer: offer.describe("What the login offers to everybody."),
  Problem: problem.describe("A refusal (RFC 9457). Compare `code`, which is stable, and never the texts."),
};

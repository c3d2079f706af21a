import { type Purpose, parseTypedCode } from "../codes/code-strategy.ts";
import { deviceSeconds } from "../limits/counter-table.ts";
import { maxCodeLength } from "../limits/login-limits.ts";
import type { RequestSessions } from "../login/account.ts";
import { confirm } from "../login/confirm.ts";
import type { FinishedLogin } from "../login/finish.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import type { Consent } from "../login/login-event.ts";
import { removeNumber } from "../login/remove-number.ts";
import { resend } from "../login/resend.ts";
import type { Asker } from "../login/send.ts";
import { start } from "../login/start.ts";
import { codeSentState, type LoginState, loggedInState, noLoginState, readLogin } from "../login/state.ts";
import { dropTransaction, maxTransactionSeconds, tagOf } from "../login/transaction.ts";
import { formatInternational } from "../phone/phone-number.ts";
import type { Remember, RememberedBrowsers } from "../sessions/remembered-browsers.ts";
import type { Carrier, ClientCredential } from "../sessions/transport.ts";
import type { Awaitable } from "../util/call-app.ts";
import type { ClientAddress } from "../util/client.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { LoginBody } from "./body.ts";
import type { RequestProofs } from "./request-proofs.ts";

/** One POST of a login, and everything that its handler may read. */
export interface LoginPost {
  readonly deps: LoginDeps;
  readonly purpose: Purpose;
  /** The way in which the transaction's id travels, and the id that the request came with. */
  readonly carrier: Carrier;
  readonly id: string | undefined;
  /** The transactions that the request came with, of every purpose. */
  readonly transactions: readonly { readonly carrier: Carrier; readonly id: string }[];
  /** The way in which the device's id travels, and the id that the request came with. */
  readonly deviceCarrier: Carrier;
  readonly deviceId: string | undefined;
  /** The client, by the framework's own proxy rules. */
  readonly client: ClientAddress;
  /** The browser in words. */
  readonly clientSummary: string | undefined;
  readonly readSignals: () => Awaitable<unknown>;
  readonly body: LoginBody;
  /** The wordings of the line of consent of the mount's own page, by version. Undefined if the app has its own page. */
  readonly consents: ReadonlyMap<string, string> | undefined;
  readonly sessions: RequestSessions;
  readonly rememberedBrowsers: RememberedBrowsers;
  /** The time for which the mount remembers a browser; `undefined` if it remembers none. */
  readonly rememberSeconds: number | undefined;
  readonly openProofs: () => RequestProofs;
}

/** The outcome of a POST. */
export interface LoginOutcome {
  readonly state: LoginState;
  /** What the client gets to keep, or is to forget. */
  readonly credentials: readonly ClientCredential[];
  /** True when the login is complete: a form then goes on to its destination. */
  readonly done?: boolean;
}

/** Handles one POST of a login. Rejects with a `DoorcodeError` to refuse. */
export type LoginHandler = (post: LoginPost) => Promise<LoginOutcome>;

/** Returns the handlers of a mount by their path. */
export function handlersOf(purpose: Purpose, { callbacks }: LoginDeps): ReadonlyMap<string, LoginHandler> {
  if (purpose === "verify") return verifyHandlers;
  return purpose === "link" && callbacks.onRemove ? linkHandlers : loginHandlers;
}

const loginHandlers: ReadonlyMap<string, LoginHandler> = new Map([
  ["/start", startLogin],
  ["/resend", resendCode],
  ["/confirm", confirmCode],
  ["/cancel", cancelLogin],
  ["/logout", logOut],
]);

const linkHandlers: ReadonlyMap<string, LoginHandler> = new Map([...loginHandlers, ["/remove", removeOwnNumber]]);

/** A `verify` has no session to log out of. */
const verifyHandlers: ReadonlyMap<string, LoginHandler> = new Map([
  ["/start", droppingProof(startLogin)],
  ["/resend", resendCode],
  ["/confirm", verifyNumber],
  ["/cancel", droppingProof(cancelLogin)],
]);

async function startLogin(post: LoginPost): Promise<LoginOutcome> {
  const { deps, purpose, carrier, id: replaces, deviceId, body, sessions } = post;
  // The app's session is read before the code is sent: a failure after that would waste the code.
  const session = await sessions.current();
  const { phone, country, channel, language } = body;
  const asked = { purpose, phone, country, channel, language, consent: consentOf(post), deviceId, session, replaces };
  const started = await start(deps, { ...asked, asker: askerOf(post), newId: carrier.newId });
  const state: LoginState = {
    ...codeSentState(started.state, session),
    // The number of a step-up is the account's: its page has not typed it.
    ...(purpose !== "step_up" && { number: formatInternational(started.phone) }),
  };
  return { state, credentials: [carrier.give(started.id, maxTransactionSeconds)] };
}

/** Returns the consent of a start. A version that the mount's own page never had is no evidence. */
function consentOf({ body: { consent: version }, consents }: LoginPost): Consent | undefined {
  if (version === undefined) return undefined;
  if (!consents) return { version };
  const text = consents.get(version);
  return text === undefined ? undefined : { version, text };
}

function askerOf({ client, readSignals, body: { challenge } }: LoginPost): Asker {
  return { client, readSignals, challenge };
}

async function resendCode(post: LoginPost): Promise<LoginOutcome> {
  const { deps, purpose, body, sessions } = post;
  const id = ownTransaction(post);
  await resend(deps, { purpose, id, channel: body.channel, sessions, asker: askerOf(post) });
  return { state: await stateOf(post, id), credentials: [] };
}

async function confirmCode(post: LoginPost): Promise<LoginOutcome> {
  const { carrier, deviceCarrier, deviceId = deviceCarrier.newId() } = post;
  const remember = await askedToRemember(post);
  const { account, phone } = await confirmTyped(post, deviceId);
  // The number is proven in any case. A browser that could not be remembered is asked again.
  if (remember) await Promise.allSettled([remember({ phone, deviceId })]);
  // Only a `verify` has none, and it has its own handler.
  if (!account) throw new Error("A login was completed without a user.");
  const { userId, session } = account;
  // Without this, a browser would be remembered again when the account gets its old number back.
  if (post.purpose === "link") await Promise.allSettled([post.rememberedBrowsers.forget(userId)]);
  const { cookies, sessionToken, user, result } = session;
  const started: ClientCredential = { cookies, ...(sessionToken !== undefined && { tokens: { sessionToken } }) };
  return {
    state: { ...loggedInState({ userId, user }), result },
    credentials: [carrier.drop(), started, deviceCarrier.give(deviceId, deviceSeconds)],
    done: true,
  };
}

async function askedToRemember(post: LoginPost): Promise<Remember | undefined> {
  const { rememberedBrowsers, rememberSeconds, body, sessions } = post;
  if (rememberSeconds === undefined || !body.remember) return undefined;
  const session = await sessions.current();
  return session && rememberedBrowsers.prepare(session.userId, rememberSeconds);
}

function confirmTyped(post: LoginPost, deviceId: string | undefined): Promise<FinishedLogin> {
  const { deps, purpose, body, sessions, clientSummary: client } = post;
  // Only the login knows how many digits its codes have.
  const code = parseTypedCode(body.code, { min: deps.codes.digits.min, max: maxCodeLength });
  return confirm(deps, { purpose, id: ownTransaction(post), code, sessions, deviceId, client });
}

async function verifyNumber(post: LoginPost): Promise<LoginOutcome> {
  const makeProof = await post.openProofs().prepare();
  const { phone, loginId } = await confirmTyped(post, undefined);
  const { state, credential } = await makeProof({ phone, loginId });
  // The page after a form and a reload find the proof in this cookie: in a query it would be in logs and in the history.
  const number = formatInternational(phone);
  return { state: { ...state, number }, credentials: [post.carrier.drop(), credential], done: true };
}

async function cancelLogin(post: LoginPost): Promise<LoginOutcome> {
  const { deps, carrier } = post;
  const id = ownTransaction(post);
  if (id !== undefined) await dropTransaction(deps, id);
  return { state: await stateOf(post, undefined), credentials: [carrier.drop()] };
}

/** Lets the browser forget the proof of an earlier number: its person wants another one. */
function droppingProof(handler: LoginHandler): LoginHandler {
  return async (post) => {
    const outcome = await handler(post);
    return { ...outcome, credentials: [...outcome.credentials, post.openProofs().drop()] };
  };
}

async function removeOwnNumber(post: LoginPost): Promise<LoginOutcome> {
  const { deps, body, sessions } = post;
  await removeNumber(deps, { phone: body.phone, country: body.country, sessions });
  return { state: await stateOf(post, undefined), credentials: [], done: true };
}

async function logOut({ deps, transactions, sessions }: LoginPost): Promise<LoginOutcome> {
  // The open logins end too, for every purpose: a code that is being checked must not log in again. All are tried, even
  // if one fails.
  const dropping = Promise.all(transactions.map(({ id }) => dropTransaction(deps, id)));
  const [dropped, ended] = await Promise.allSettled([dropping, sessions.end()]);
  if (ended.status === "rejected") throw ended.reason;
  if (dropped.status === "rejected") throw dropped.reason;
  const credentials = [...transactions.map(({ carrier }) => carrier.drop()), { cookies: ended.value }];
  return { state: noLoginState, credentials };
}

async function stateOf({ deps, purpose, sessions }: LoginPost, id: string | undefined): Promise<LoginState> {
  return (await readLogin(deps, { purpose, id }, sessions.current)).state;
}

/** Refuses a page of another tab that names a login which this browser no longer has: it must not use up an attempt. */
function ownTransaction({ id, body }: LoginPost): string | undefined {
  const namesAnother = id !== undefined && body.transaction !== undefined && body.transaction !== tagOf(id);
  if (namesAnother) throw new DoorcodeError("transaction_replaced");
  return id;
}

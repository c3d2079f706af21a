import { DoorcodeError } from "../errors.ts";
import { confirm } from "../login/confirm.ts";
import type { LoginParts, SessionPort } from "../login/login.ts";
import { resend } from "../login/resend.ts";
import { start } from "../login/start.ts";
import { describeStarted } from "../login/state.ts";
import { longestTransactionSeconds, type Purpose, tagOf } from "../login/transaction.ts";
import type { KitCookie } from "./cookies.ts";
import type { LoginBody } from "./login-body.ts";
import { type LoginState, readLoginState, whoIs } from "./login-state.ts";

/** One post of a login, with everything an act may look at. */
export interface LoginPost {
  readonly login: LoginParts;
  readonly purpose: Purpose;
  /** The cookie that carries the transaction's id. */
  readonly cookie: KitCookie;
  /** The transaction's id from that cookie. */
  readonly id: string | undefined;
  readonly body: LoginBody;
  readonly sessions: SessionPort;
}

/** What a post came to. */
export interface LoginOutcome {
  readonly state: LoginState;
  readonly cookies: readonly string[];
  /** The login came about: a form goes on to where the person wanted to be. */
  readonly done?: boolean;
}

/** What one post of a login does. Rejects with a `DoorcodeError` to refuse. */
export type LoginAct = (post: LoginPost) => Promise<LoginOutcome>;

/** The acts by their path below the mount. */
export const loginActs: ReadonlyMap<string, LoginAct> = new Map([
  ["/start", startLogin],
  ["/resend", resendCode],
  ["/confirm", confirmCode],
  ["/cancel", cancelLogin],
  ["/logout", logOut],
]);

async function startLogin({ login, purpose, cookie, id: replaces, body, sessions }: LoginPost): Promise<LoginOutcome> {
  // Everything of the app is asked before the code leaves: a failure after that would waste it.
  const session = await sessions.current();
  const { phone, country, channel } = body;
  const { id, transaction } = await start(login, { purpose, phone, country, channel, session, replaces });
  const state = { ...describeStarted(login, id, transaction), ...(session && whoIs(session)) };
  return { state, cookies: [cookie.write(id, longestTransactionSeconds)] };
}

async function resendCode(post: LoginPost): Promise<LoginOutcome> {
  const { login, purpose, body, sessions } = post;
  const id = transactionOf(post);
  await resend(login, { purpose, id, channel: body.channel });
  return { state: await readLoginState(login, purpose, id, sessions.current), cookies: [] };
}

async function confirmCode(post: LoginPost): Promise<LoginOutcome> {
  const { login, purpose, cookie, body, sessions } = post;
  const code = readCode(body.code, login.codes.digits);
  const id = transactionOf(post);
  const { userId, session } = await confirm(login, { purpose, id, code, sessions });
  const state: LoginState = {
    status: "logged_in",
    ...whoIs({ userId, user: session.user }),
    ...(session.result !== undefined && { result: session.result }),
  };
  return { state, cookies: [cookie.drop(), ...session.cookies], done: true };
}

async function cancelLogin(post: LoginPost): Promise<LoginOutcome> {
  const { login, purpose, cookie, sessions } = post;
  const id = transactionOf(post);
  if (id !== undefined) await login.transactions.forget(login.transactions.keyOf(id));
  return { state: await readLoginState(login, purpose, undefined, sessions.current), cookies: [cookie.drop()] };
}

async function logOut({ login, cookie, id, sessions }: LoginPost): Promise<LoginOutcome> {
  // Also the login under way: a confirmation that is still being judged must not log in again. Neither waits for the
  // other to succeed.
  const forgetting = id === undefined ? undefined : login.transactions.forget(login.transactions.keyOf(id));
  const [forgotten, ended] = await Promise.allSettled([forgetting, sessions.end()]);
  if (ended.status === "rejected") throw ended.reason;
  if (forgotten.status === "rejected") throw forgotten.reason;
  return { state: { status: "none" }, cookies: [cookie.drop(), ...ended.value] };
}

/** The page of another tab speaks of a login that this browser no longer has; it must not use up an attempt of the new one. */
function transactionOf({ id, body }: LoginPost): string | undefined {
  const speaksOfAnother = id !== undefined && body.transaction !== undefined && body.transaction !== tagOf(id);
  if (speaksOfAnother) throw new DoorcodeError("transaction_replaced");
  return id;
}

/** People type codes with gaps; anything else than digits is no code and not worth an attempt. */
function readCode(text: string | undefined, { fewest, most }: { fewest: number; most: number }): string {
  if (text === undefined) throw new DoorcodeError("code_malformed", { message: "`code` is missing." });
  const code = text.replace(/[\s-]/g, "");
  if (!/^[0-9]+$/.test(code) || code.length < fewest || code.length > most) throw new DoorcodeError("code_malformed");
  return code;
}

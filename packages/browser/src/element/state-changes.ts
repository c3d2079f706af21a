import type { TimedCodeSentState, TimedLoginState } from "../client/timed-state.ts";
import { needsOpenCode } from "../view/view.ts";
import type { Fields } from "./fields.ts";
import type { LivePage } from "./live-page.ts";
import type { WebOtp } from "./web-otp.ts";

/** What follows a new state. */
export interface FollowDeps {
  readonly page: LivePage;
  readonly fields: Fields;
  readonly otp: WebOtp;
  /** Asks for what the page does not know yet. */
  load(): Promise<void>;
  /** True while this page asks for a code. */
  isSending(): boolean;
  /** Shows that the login is complete, and leaves the page. */
  complete(page: LivePage, state: TimedLoginState): void;
}

/** Creates the function that handles a new state, which may come from the server or from another tab. */
export function createFollow(deps: FollowDeps): (before: TimedLoginState | undefined, state: TimedLoginState) => void {
  const { page, otp, load } = deps;
  return (before, state) => {
    const wasOpen = before?.status === "code_sent";
    if (page.model.problem?.action === "state") {
      page.setProblem(undefined);
      // The server that could not be asked for the state has perhaps given no offer either.
      void load();
    }
    if (state.status === "code_sent") {
      const isAnother = !(wasOpen && before.transaction === state.transaction);
      if (isAnother) beginCode(deps, before, state);
      return;
    }
    if (!wasOpen) return;
    otp.abort();
    if (!page.settings().client.getSnapshot().pending) endCode(deps, before, state);
  };
}

/** A code was sent, by this page or by another tab. */
function beginCode(
  { page, fields, otp, isSending }: FollowDeps,
  before: TimedLoginState | undefined,
  state: TimedCodeSentState,
): void {
  const { model } = page;
  fields.reset();
  // A problem of the step before is over, unless it came with the page.
  if (before) page.setProblem(undefined);
  Object.assign(model, { isChanging: false, isDone: false, phone: state.number ?? model.phone });
  if (!isSending()) otp.ask(fields.fillCode);
}

/** The login has ended by itself or in another tab. A link and a step-up have a session all the time. */
function endCode({ page, complete }: FollowDeps, before: TimedCodeSentState, state: TimedLoginState): void {
  const isOutdated = needsOpenCode(page.model.problem);
  if (isOutdated) page.setProblem(undefined);
  const isExpired = Date.now() > before.expiresAt - 1000;
  if (state.status === "none" && (isExpired || isOutdated)) page.setProblem({ code: "code_expired" });
  const isLogin = state.status === "logged_in" && page.settings().purpose === "login" && before.userId === undefined;
  if (isLogin) queueMicrotask(() => complete(page, state));
}

import type { TimedCodeSentState, TimedLoginState } from "../client/timed-state.ts";
import type { FormAction } from "../view/parts.ts";
import { codeIn } from "../view/typed-number.ts";
import { needsOpenCode } from "../view/view.ts";
import { type CodeSends, createCodeSends } from "./code-sends.ts";
import { dispatch } from "./events.ts";
import { destinationOf } from "./live-page.ts";
import { type ActDeps, askOtp, clientOf, runAct } from "./run-act.ts";

/** The acts of the person. */
export interface Acts {
  /** Handles a submitted form. */
  submit(event: Event): void;
  /** Handles a click on a button. */
  click(event: Event): void;
  /** Asks for the state, and for the offer if nobody gave it. */
  load(): Promise<void>;
  /** Handles a new state, which may come from another tab. */
  follow(before: TimedLoginState | undefined, state: TimedLoginState): void;
}

/** Creates the acts of a page. */
export function createActs(deps: ActDeps): Acts {
  const { page, loadOffer, isConnected } = deps;
  const sends = createCodeSends(deps);
  const load = async () => {
    const isUnknown = clientOf(deps).getSnapshot().state === undefined;
    await Promise.all([loadOffer(), isUnknown && runAct(deps, clientOf(deps).state())]);
    if (isConnected()) page.render();
  };
  const acts: Readonly<Record<FormAction, (data: FormData) => unknown>> = {
    start: sends.start,
    resend: sends.resend,
    confirm: () => confirm(deps),
    cancel: () => change(deps, true),
    logout: () => runAct(deps, clientOf(deps).logout()),
  };

  return {
    load,
    submit(event) {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      if (form.querySelector("[aria-disabled]")) return;
      void acts[form.action.replace(/.*\//, "") as FormAction](new FormData(form));
    },
    click(event) {
      const isOn = (name: string) => (event.target as Element).closest(`[part~="${name}"]`);
      if (isOn("retry")) void load();
      if (isOn("back")) change(deps, false);
    },
    follow: (before, state) => follow(deps, sends, before, state),
  };
}

async function confirm(deps: ActDeps): Promise<void> {
  const { page, otp } = deps;
  const { state } = clientOf(deps).getSnapshot();
  const value = page.part<HTMLInputElement>("code")?.value ?? "";
  const code = codeIn(value, state?.status === "code_sent" ? state.codeLength : null) ?? value.trim();
  if (!code) {
    page.refuse({ code: "code_malformed" });
    return;
  }
  otp.abort();
  const result = await runAct(deps, clientOf(deps).confirm(code));
  if (result && "state" in result) complete(deps, result.state);
}

function complete({ page }: ActDeps, state: TimedLoginState): void {
  const { element, model } = page;
  if (model.isDone) return;
  model.isDone = true;
  page.setProblem(undefined);
  page.render();
  // The proof of a `verify` is for a form of this page.
  const leaves = dispatch(element, "phone-login:confirmed", { state }, true) && state.status !== "verified";
  if (leaves) location.assign(destinationOf(element));
}

function change(deps: ActDeps, isChanging: boolean): void {
  const { page, otp } = deps;
  otp.abort();
  page.setProblem(undefined);
  page.model.isChanging = isChanging;
  page.render();
  if (!isChanging) askOtp(deps);
  page.focusField();
}

function follow(deps: ActDeps, sends: CodeSends, before: TimedLoginState | undefined, state: TimedLoginState): void {
  const { page, fields } = deps;
  const { model } = page;
  const open = before?.status === "code_sent" ? before : undefined;
  if (model.problem?.action === "state") page.setProblem(undefined);
  if (state.status !== "code_sent") {
    if (open) followEnd(deps, open, state);
    return;
  }
  if (open?.transaction === state.transaction) return;
  fields.reset();
  // A problem of the step before is over, unless it came with the page.
  if (before) page.setProblem(undefined);
  Object.assign(model, { isChanging: false, isDone: false, phone: state.number ?? model.phone });
  if (!sends.isSending()) askOtp(deps);
}

/** Handles the end of an open login: by itself, in another tab, or by an act that shows it. */
function followEnd(deps: ActDeps, before: TimedCodeSentState, state: TimedLoginState): void {
  const { page, otp } = deps;
  otp.abort();
  if (clientOf(deps).getSnapshot().pending) return;
  const isOutdated = needsOpenCode(page.model.problem);
  if (isOutdated) page.setProblem(undefined);
  const isExpired = Date.now() > before.expiresAt - 1000;
  if (state.status === "none" && (isExpired || isOutdated)) page.setProblem({ code: "code_expired" });
  // A link and a step-up have a session all the time.
  const isLogin = state.status === "logged_in" && page.settings().purpose === "login" && before.userId === undefined;
  if (isLogin) queueMicrotask(() => complete(deps, state));
}

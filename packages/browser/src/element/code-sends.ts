import type { StateResult } from "../client/phone-login-client.ts";
import type { TimedCodeSentState } from "../client/timed-state.ts";
import { dispatch } from "./events.ts";
import { type ActDeps, askOtp, clientOf, runAct, textIn } from "./run-act.ts";

/** The acts that send a code. */
export interface CodeSends {
  start(data: FormData): void;
  resend(data: FormData): void;
  /** True while this page asks for a code: then it listens for that one when it was sent. */
  isSending(): boolean;
}

/** More than the seven seconds that it takes to notice and read. */
const noticeMilliseconds = 10_000;

/** A request for a code that waits for the token of a challenge, if the server asks for one. */
interface Send {
  readonly action: "start" | "resend";
  readonly request: (challenge?: string) => Promise<StateResult>;
}

/** Creates the acts that send a code. */
export function createCodeSends(deps: ActDeps): CodeSends {
  const { page, fields, otp } = deps;
  const { element, model, part } = page;
  let isSending = false;

  async function send({ action, request }: Send, challenge?: string): Promise<void> {
    otp.abort();
    isSending = true;
    const result = await runAct(deps, request(challenge));
    isSending = false;
    if (!result) return;
    if ("state" in result) {
      if (result.state.status === "code_sent") showSent(deps, action, result.state);
      return;
    }
    if (action === "resend") askOtp(deps);
    if (result.problem.code !== "challenge_required") return;
    const solve = (token: string) => void send({ action, request }, token);
    dispatch(element, "phone-login:challenge", { action, container: part("challenge"), solve });
  }

  function startWith(phone: string | undefined, token: string | undefined): void {
    const country = part<HTMLSelectElement>("country")?.value;
    model.phone = phone ?? "";
    model.country = country;
    const { language } = page.settings();
    const request = (challenge?: string) => clientOf(deps).start({ phone, country, challenge, language });
    void send({ action: "start", request }, token);
  }

  return {
    isSending: () => isSending,
    start(data) {
      const phone = textIn(data, "phone");
      const isRefused = phone && !fields.moveCountry(phone);
      if (isRefused) page.refuse({ code: "country_not_allowed" });
      else if (part("phone") && !phone) page.refuse({ code: "phone_invalid" });
      else startWith(phone, textIn(data, "challenge"));
    },
    resend(data) {
      const channel = textIn(data, "channel");
      // A challenge leaves its token in a field of its own, which stands outside of this form.
      const token = element.querySelector<HTMLInputElement>('[part="challenge"] [name="challenge"]')?.value;
      const request = (challenge?: string) => clientOf(deps).resend({ channel, challenge });
      void send({ action: "resend", request }, token || undefined);
    },
  };
}

function showSent(deps: ActDeps, action: Send["action"], state: TimedCodeSentState): void {
  const { element, model, settings, render, focusField } = deps.page;
  model.isChanging = false;
  if (action === "resend") {
    model.noticeUntil = Date.now() + noticeMilliseconds;
    model.notice = settings().strings.sentAgain;
  }
  render();
  askOtp(deps);
  // The button that sends again keeps its focus.
  if (action === "start") focusField();
  dispatch(element, "phone-login:sent", { state, action });
}

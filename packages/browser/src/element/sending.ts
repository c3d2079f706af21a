import type { TimedCodeSentState } from "../client/timed-state.ts";
import { dispatch } from "./events.ts";
import { type Fields, moveCountry } from "./fields.ts";
import type { LivePage } from "./live-page.ts";
import type { RunAction } from "./run-action.ts";
import type { WebOtp } from "./web-otp.ts";

/** The forms of a page that send a code. */
export interface Sending {
  /** Handles the form with the number. */
  start(data: FormData): void;
  /** Handles a form that sends a code again. */
  resend(data: FormData): void;
  /** True while this page asks for a code: then it listens for that one when it was sent. */
  isPending(): boolean;
}

/** The dependencies of {@link Sending}. */
export interface SendingDeps {
  readonly page: LivePage;
  readonly fields: Fields;
  readonly otp: WebOtp;
  readonly run: RunAction;
}

/** More than the seven seconds that it takes to notice and read. */
const noticeMilliseconds = 10_000;

/** Creates the forms of a page that send a code, and send it again with the token of a challenge. */
export function createSending({ page, fields, otp, run }: SendingDeps): Sending {
  const { element, model, part } = page;
  const client = () => page.settings().client;
  let isPending = false;

  async function send(
    action: "start" | "resend",
    sendWith: (challenge?: string) => ReturnType<ReturnType<typeof client>["start"]>,
    challenge?: string,
  ): Promise<void> {
    otp.abort();
    isPending = true;
    const result = await run(sendWith(challenge));
    isPending = false;
    if (!result) return;
    if ("state" in result) {
      if (result.state.status !== "code_sent") return;
      showSent(page, action, result.state);
      otp.ask(fields.fillCode);
      return;
    }
    if (action === "resend") otp.ask(fields.fillCode);
    if (result.problem.code !== "challenge_required") return;
    const solve = (token: string) => void send(action, sendWith, token);
    dispatch(element, "phone-login:challenge", { action, container: part("challenge"), solve });
  }

  return {
    isPending: () => isPending,
    start(data) {
      const phone = textIn(data, "phone");
      if (phone && !moveCountry(page, phone)) return void page.refuse({ code: "country_not_allowed" });
      if (part("phone") && !phone) return void page.refuse({ code: "phone_invalid" });
      const country = part<HTMLSelectElement>("country")?.value;
      model.phone = phone ?? "";
      model.country = country;
      const { language } = page.settings();
      const consent = textIn(data, "consent");
      const sendWith = (challenge?: string) => client().start({ phone, country, challenge, language, consent });
      void send("start", sendWith, textIn(data, "challenge"));
    },
    resend(data) {
      const channel = textIn(data, "channel");
      // A challenge leaves its token in a separate field, which stands outside of this form.
      const token = element.querySelector<HTMLInputElement>('[part="challenge"] [name="challenge"]')?.value;
      void send("resend", (challenge) => client().resend({ channel, challenge }), token || undefined);
    },
  };
}

/** Shows the step that asks for the code, or that the code was sent again. */
function showSent(page: LivePage, action: "start" | "resend", state: TimedCodeSentState): void {
  const { element, model } = page;
  model.isChanging = false;
  if (action === "resend") {
    model.noticeUntil = Date.now() + noticeMilliseconds;
    model.notice = page.settings().strings.sentAgain;
  }
  page.render();
  // The button that sends again keeps its focus.
  if (action === "start") page.focusField();
  dispatch(element, "phone-login:sent", { state, action });
}

function textIn(data: FormData, name: string): string | undefined {
  return data.get(name)?.toString() || undefined;
}

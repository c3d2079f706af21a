import type { StateResult } from "../client/create-phone-login.ts";
import type { LoginProblem } from "../client/problem.ts";
import type { TimedCodeSentState, TimedLoginState } from "../client/timed-state.ts";
import type { FormAction } from "../view/parts.ts";
import { asciiNumber, codeIn } from "../view/typed-number.ts";
import { needsOpenCode, type ShownProblem } from "../view/view.ts";
import { dispatch } from "./events.ts";
import type { Fields } from "./fields.ts";
import { destinationOf, type LivePage } from "./live-page.ts";
import type { WebOtp } from "./web-otp.ts";

/** What the person does on the page. */
export interface PageActions {
  /** Handles a submitted form. */
  submit(event: Event): void;
  /** Handles a click on a button. */
  click(event: Event): void;
  /** Asks for the state, and for the offer unless the page came with it. */
  load(): Promise<void>;
  /** Handles a new state, which may come from another tab. */
  follow(before: TimedLoginState | undefined, state: TimedLoginState): void;
}

/** The dependencies of {@link PageActions}. */
export interface PageActionsDeps {
  readonly page: LivePage;
  readonly fields: Fields;
  readonly otp: WebOtp;
  /** Asks for the offer unless the page came with it. */
  loadOffer(): Promise<void>;
  /** True until the element leaves the page. */
  isConnected(): boolean;
}

/** More than the seven seconds that it takes to notice and read. */
const noticeMilliseconds = 10_000;

/** Creates the actions of a page. */
export function createPageActions({ page, fields, otp, loadOffer, isConnected }: PageActionsDeps): PageActions {
  const { element, model, part } = page;
  const client = () => page.settings().client;
  const askOtp = () => otp.ask(fields.fillCode);
  /** True while this page asks for a code: then it listens for that one when it was sent. */
  let isSending = false;

  /** Waits for an action, and shows its problem. Returns nothing for an action that no longer matters. */
  async function run(action: Promise<StateResult>): Promise<StateResult | undefined> {
    page.setProblem(undefined);
    const result = await action;
    if (!isConnected()) return undefined;
    if ("state" in result) return result;
    const { problem } = result;
    if (problem.code === "aborted") return undefined;
    page.refuse(explained(problem));
    dispatch(element, "phone-login:problem", { problem });
    return result;
  }

  /** Tells an ambiguous number from a wrong one: it begins with the country code, without a plus. */
  function explained(problem: LoginProblem): ShownProblem {
    const countries = page.settings().offer?.countries ?? [];
    const chosen = countries.find(({ country }) => country === model.country) ?? countries[0];
    const isAmbiguous =
      problem.code === "phone_invalid" && chosen && asciiNumber(model.phone).startsWith(chosen.callingCode);
    return isAmbiguous ? { ...problem, code: "phone_ambiguous" } : problem;
  }

  function start(data: FormData): void {
    const phone = textIn(data, "phone");
    if (phone && !fields.moveCountry(phone)) return void page.refuse({ code: "country_not_allowed" });
    if (part("phone") && !phone) return void page.refuse({ code: "phone_invalid" });
    const country = part<HTMLSelectElement>("country")?.value;
    model.phone = phone ?? "";
    model.country = country;
    const { language } = page.settings();
    const consent = textIn(data, "consent");
    const sendWith = (challenge?: string) => client().start({ phone, country, challenge, language, consent });
    void send("start", sendWith, textIn(data, "challenge"));
  }

  function resend(data: FormData): void {
    const channel = textIn(data, "channel");
    // A challenge leaves its token in a separate field, which stands outside of this form.
    const token = element.querySelector<HTMLInputElement>('[part="challenge"] [name="challenge"]')?.value;
    void send("resend", (challenge) => client().resend({ channel, challenge }), token || undefined);
  }

  async function send(
    action: "start" | "resend",
    sendWith: (challenge?: string) => Promise<StateResult>,
    challenge?: string,
  ): Promise<void> {
    otp.abort();
    isSending = true;
    const result = await run(sendWith(challenge));
    isSending = false;
    if (!result) return;
    if ("state" in result) {
      if (result.state.status === "code_sent") sent(action, result.state);
      return;
    }
    if (action === "resend") askOtp();
    if (result.problem.code !== "challenge_required") return;
    const solve = (token: string) => void send(action, sendWith, token);
    dispatch(element, "phone-login:challenge", { action, container: part("challenge"), solve });
  }

  function sent(action: "start" | "resend", state: TimedCodeSentState): void {
    model.isChanging = false;
    if (action === "resend") {
      model.noticeUntil = Date.now() + noticeMilliseconds;
      model.notice = page.settings().strings.sentAgain;
    }
    page.render();
    askOtp();
    // The button that sends again keeps its focus.
    if (action === "start") page.focusField();
    dispatch(element, "phone-login:sent", { state, action });
  }

  async function confirm(): Promise<void> {
    const { state } = client().getSnapshot();
    const value = part<HTMLInputElement>("code")?.value ?? "";
    const code = codeIn(value, state?.status === "code_sent" ? state.codeLength : null) ?? value.trim();
    if (!code) return page.refuse({ code: "code_malformed" });
    otp.abort();
    const result = await run(client().confirm(code));
    if (result && "state" in result) complete(result.state);
  }

  function complete(state: TimedLoginState): void {
    if (model.isDone) return;
    model.isDone = true;
    page.setProblem(undefined);
    page.render();
    // The proof of a `verify` is for a form of this page.
    const leaves = dispatch(element, "phone-login:confirmed", { state }, true) && state.status !== "verified";
    if (leaves) location.assign(destinationOf(element));
  }

  function change(isChanging: boolean): void {
    otp.abort();
    page.setProblem(undefined);
    model.isChanging = isChanging;
    page.render();
    if (!isChanging) askOtp();
    page.focusField();
  }

  const load = async () => {
    const isUnknown = client().getSnapshot().state === undefined;
    await Promise.all([loadOffer(), isUnknown && run(client().state())]);
    if (isConnected()) page.render();
  };

  return {
    load,
    submit(event) {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      if (form.querySelector("[aria-disabled]")) return;
      const data = new FormData(form);
      const actions = { start, resend, confirm, cancel: () => change(true), logout: () => run(client().logout()) };
      void actions[form.action.replace(/.*\//, "") as FormAction](data);
    },
    click(event) {
      const isOn = (name: string) => (event.target as Element).closest(`[part~="${name}"]`);
      if (isOn("retry")) void load();
      if (isOn("back")) change(false);
    },
    follow(before, state) {
      const wasOpen = before?.status === "code_sent";
      if (model.problem?.action === "state") page.setProblem(undefined);
      if (state.status === "code_sent" && !(wasOpen && before.transaction === state.transaction)) {
        fields.reset();
        // A problem of the step before is over, unless it came with the page.
        if (before) page.setProblem(undefined);
        Object.assign(model, { isChanging: false, isDone: false, phone: state.number ?? model.phone });
        if (!isSending) askOtp();
      }
      if (state.status === "code_sent" || !wasOpen) return;
      otp.abort();
      if (client().getSnapshot().pending) return;
      // The login has ended by itself or in another tab. A link and a step-up have a session all the time.
      const isOutdated = needsOpenCode(model.problem);
      if (isOutdated) page.setProblem(undefined);
      const isExpired = Date.now() > before.expiresAt - 1000;
      if (state.status === "none" && (isExpired || isOutdated)) page.setProblem({ code: "code_expired" });
      const isLogin =
        state.status === "logged_in" && page.settings().purpose === "login" && before.userId === undefined;
      if (isLogin) queueMicrotask(() => complete(state));
    },
  };
}

function textIn(data: FormData, name: string): string | undefined {
  return data.get(name)?.toString() || undefined;
}

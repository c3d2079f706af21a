import type { TimedLoginState } from "../client/timed-state.ts";
import type { FormAction } from "../view/parts.ts";
import { codeIn } from "../view/typed-number.ts";
import { dispatch } from "./events.ts";
import type { Fields } from "./fields.ts";
import { destinationOf, type LivePage } from "./live-page.ts";
import { createRunAction } from "./run-action.ts";
import { createSending } from "./sending.ts";
import { createFollow } from "./state-changes.ts";
import type { WebOtp } from "./web-otp.ts";

/** What the person does on the page, and what becomes of it. */
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

/** Creates the actions of a page. */
export function createPageActions(deps: PageActionsDeps): PageActions {
  const { page, fields, otp, loadOffer, isConnected } = deps;
  const client = () => page.settings().client;
  const run = createRunAction(page, isConnected);
  const sending = createSending({ ...deps, run });

  async function confirm(data: FormData): Promise<void> {
    const { state } = client().getSnapshot();
    const value = page.part<HTMLInputElement>("code")?.value ?? "";
    const code = codeIn(value, state?.status === "code_sent" ? state.codeLength : null) ?? value.trim();
    if (!code) return page.refuse({ code: "code_malformed" });
    otp.abort();
    const result = await run(client().confirm(code, { remember: data.has("remember") }));
    if (result && "state" in result) complete(page, result.state);
  }

  function change(isChanging: boolean): void {
    otp.abort();
    page.setProblem(undefined);
    page.model.isChanging = isChanging;
    page.render();
    if (!isChanging) otp.ask(fields.fillCode);
    page.focusField();
  }

  const load = async () => {
    await Promise.all([loadOffer(), client().getSnapshot().state ?? run(client().state())]);
    if (isConnected()) page.render();
  };
  const { start, resend } = sending;
  const handlers = { start, resend, confirm, cancel: () => change(true), logout: () => run(client().logout()) };

  return {
    load,
    follow: createFollow({ ...deps, load, isSending: sending.isPending, complete }),
    submit(event) {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      // A challenge of the app may hold anything, also a field named `action`, which hides the member of the form.
      if (form.querySelector("[part][aria-disabled]")) return;
      const action = form.getAttribute("action")?.replace(/.*\//, "") as FormAction;
      const data = new FormData(form);
      page.model.submitted = action + (data.get("channel") ?? "");
      void handlers[action](data);
    },
    click(event) {
      const isOn = (name: string) => (event.target as Element).closest(`[part~="${name}"]`);
      if (isOn("retry")) void load();
      if (isOn("back")) change(false);
    },
  };
}

/** Shows that the login is complete, and leaves the page. */
function complete(page: LivePage, state: TimedLoginState): void {
  const { element, model } = page;
  if (model.isDone) return;
  model.isDone = true;
  page.setProblem(undefined);
  page.render();
  // The proof of a `verify` is for a form of this page.
  const leaves = dispatch(element, "phone-login:confirmed", { state }, true) && state.status !== "verified";
  if (leaves) location.assign(destinationOf(element));
}

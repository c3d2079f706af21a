import { countryOf } from "../view/countries.ts";
import { readArrival } from "./code-arrival.ts";
import { dispatch } from "./events.ts";
import type { LivePage } from "./live-page.ts";

/** The fields of a page, and what comes into them. */
export interface Fields {
  /** Handles `input`, `change`, `focusout` and `paste`. */
  handle(event: Event): void;
  /** Puts a code into the field, as if it were filled in. */
  fillCode(code: string): void;
  /** Forgets the code field of an earlier login. */
  reset(): void;
}

/** Creates what listens to the fields of a page. */
export function createFields(page: LivePage): Fields {
  const { element, model, part } = page;
  /** The value of the code field after the last event, the text that was pasted, and the code that was sent by itself. */
  let before = "";
  let pasted: string | undefined;
  let submitted = "";

  function takeCode(input: HTMLInputElement, type: string, inputType: string | undefined): void {
    const { state, pending } = page.settings().client.getSnapshot();
    // What no event has told of is seen when the field is left, or on submit.
    if (input.value === before || state?.status !== "code_sent") return;
    const change = { before, value: input.value, inputType, pasted, length: state.codeLength };
    const { code, isWhole } = readArrival(change);
    pasted = undefined;
    if (code !== undefined) input.value = code;
    before = input.value;
    // Whoever has a choice below the code presses the button.
    if (part("choice")) return;
    if (!isWhole || type === "focusout" || before === submitted || pending || state.checkAt > Date.now()) return;
    submitted = before;
    if (dispatch(element, "phone-login:autosubmit", {}, true)) input.form?.requestSubmit();
  }

  function takePhone(input: HTMLInputElement, type: string): void {
    model.phone = input.value;
    // A pause was about the number of before.
    if (model.problem?.retryAt) page.setProblem(undefined);
    const isOffered = moveCountry(page, input.value);
    const wasRefused = model.problem?.code === "country_not_allowed";
    // The page does not say so in the middle of a number.
    if (!isOffered && !wasRefused && type === "change") page.setProblem({ code: "country_not_allowed" });
    if (isOffered && wasRefused) page.setProblem(undefined);
    page.render();
  }

  return {
    handle(event) {
      const { target, type } = event;
      if (type === "paste") {
        pasted = (event as ClipboardEvent).clipboardData?.getData("text");
        return;
      }
      const input = target as HTMLInputElement;
      if (input === part("code")) takeCode(input, type, (event as InputEvent).inputType);
      if (input === part("phone") && type !== "focusout") takePhone(input, type);
      if (target === part("country")) page.render();
    },
    fillCode(code) {
      const input = part<HTMLInputElement>("code");
      if (!input) return;
      input.value = code;
      before = "";
      takeCode(input, "input", undefined);
    },
    reset() {
      before = submitted = "";
    },
  };
}

/** Moves the choice of the country to that of a number with its country code. Returns false for one that is not offered. */
export function moveCountry({ part, settings }: LivePage, phone: string): boolean {
  const select = part<HTMLSelectElement>("country");
  const found = countryOf(phone, settings().offer?.countries ?? [], select?.value);
  if (found === "refused") return false;
  if (found && select) select.value = found.country;
  return true;
}

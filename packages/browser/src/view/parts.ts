import type { Strings } from "../strings/strings.ts";
import { type AttributeValue, h, type ViewChild, type ViewElement } from "./node.ts";
import { problemText } from "./problem-text.ts";
import { fieldOf, idOf, type View } from "./view.ts";
import { clockOf, fill, secondsUntil } from "./words.ts";

/** The action of a form, and the path that it is sent to. */
export type FormAction = "start" | "confirm" | "resend" | "cancel" | "logout";

/** Describes a form. It works without a script; with one, the element sends it. */
export function form(view: View, action: FormAction, ...children: ViewChild[]): ViewElement {
  const { basePath, state, next, live, language } = view;
  const transaction = state?.status === "code_sent" && action !== "start" ? state.transaction : undefined;
  return h(
    "form",
    {
      part: `form ${action}-form`,
      method: "post",
      action: `${basePath}/${action}`,
      // The element says in its own words what is missing.
      novalidate: live !== undefined,
    },
    children,
    hidden("transaction", transaction),
    hidden("next", next),
    hidden("language", action === "start" ? language : undefined),
  );
}

/** Describes a hidden field; none for a value that is empty. `owner` is the id of a form that it does not stand in. */
export function hidden(name: string, value: string | undefined, owner?: string): ViewElement | undefined {
  return value ? h("input", { type: "hidden", name, value, form: owner }) : undefined;
}

/** Describes a problem, which screen readers announce immediately. A challenge is none: the region of announcements has its words. */
export function problemNote(view: View): ViewElement | undefined {
  const { problem, live } = view;
  if (!problem) return undefined;
  const attributes =
    problem.code === "challenge_required"
      ? { part: "note" }
      : { part: "problem", id: idOf(view, "problem"), role: "alert", "data-number": live?.problemNumber || undefined };
  return h("p", attributes, problemText(view, problem));
}

/** Describes the number as it was understood; masked where only the server knows it in full. */
export function numberNode({ number, phone }: { readonly number?: string; readonly phone: string }): ViewElement {
  return h("strong", { part: "number", dir: "ltr" }, number ?? phone);
}

/** Returns the attributes of a field that may be in error, and has a hint. */
export function describedField(view: View, name: "phone" | "code", hasHint: boolean): Record<string, AttributeValue> {
  const isInvalid = view.problem !== undefined && fieldOf(view.problem) === name;
  const described = [isInvalid && "problem", name === "code" && "code-sent", hasHint && `${name}-hint`];
  const ids = described.flatMap((part) => (part ? idOf(view, part) : [])).join(" ");
  return {
    "aria-invalid": isInvalid ? "true" : undefined,
    "aria-describedby": ids || undefined,
    // Plain forms come back as a new page: the field in error has the focus there.
    autofocus: !view.live && (name === "code" || isInvalid),
  };
}

/** A pause: the name of its countdown, unique on the page, and its end. */
export type Pause = readonly [name: string, until: number];

/**
 * Describes the button of a form, which keeps its focus while it cannot be used.
 *
 * @param form - the action, with the channel of a resend.
 */
export function formButton(view: View, form: string, part: string, label: string, pause?: Pause): ViewElement {
  const { live, strings, now } = view;
  // Without a script nothing would enable it again.
  const waits = live && pause && pause[1] > now;
  return h(
    "button",
    {
      part,
      "aria-disabled": waits || live?.pending ? "true" : undefined,
      "aria-describedby": waits ? idOf(view, pause[0]) : undefined,
    },
    live?.isSlow && live.submitted === form ? [h("span", { part: "spinner" }), sendingText(strings, form)] : label,
  );
}

/** Returns the words while a form is sent. */
export function sendingText({ checking, sending }: Strings, form: string): string {
  return form === "confirm" ? checking : sending;
}

/**
 * Describes the countdown of a pause, which is the reason of its buttons. It is hidden from screen readers except as that, so that it is
 * not announced each second.
 */
export function countdown(view: View, [name, until]: Pause, words: string): ViewChild {
  const seconds = secondsUntil(until, view.now);
  return (
    seconds > 0 &&
    view.live !== undefined &&
    h("span", { part: "reason", id: idOf(view, name), "aria-hidden": "true" }, fill(words, { time: clockOf(seconds) }))
  );
}

/** Describes the way back to the number. Without a script it ends the login. */
export function changeForm(view: View): ViewElement {
  return form(view, "cancel", h("button", { part: "quiet change" }, view.strings.changeNumber));
}

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

/** Describes a problem, which screen readers announce immediately. */
export function problemNote(view: View): ViewElement | undefined {
  const { problem, live } = view;
  if (!problem) return undefined;
  return h(
    "p",
    { part: "problem", id: idOf(view, "problem"), role: "alert", "data-number": live?.problemNumber || undefined },
    problemText(view, problem),
  );
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

/** A button that cannot be used until an instant. */
export interface Waiting {
  /** The name of the button, unique on the page. */
  readonly name: string;
  readonly until: number;
  /** The sentence with the countdown: `{time}`. */
  readonly sentence: string;
}

/**
 * Describes a button that keeps its focus while it cannot be used. The countdown beside it is its reason; it is hidden from
 * screen readers except as that, so that it is not announced each second.
 */
export function waitingButton(
  view: View,
  { name, until, sentence }: Waiting,
  attributes: Record<string, AttributeValue>,
  ...children: ViewChild[]
): ViewChild {
  const seconds = secondsUntil(until, view.now);
  const id = idOf(view, `${name}-reason`);
  // Without a script nothing would enable it again.
  const waits = seconds > 0 && view.live !== undefined;
  return [
    h(
      "button",
      {
        ...attributes,
        "aria-disabled": waits || isBusy(view) ? "true" : undefined,
        "aria-describedby": waits ? id : undefined,
      },
      children,
    ),
    waits && h("span", { part: "reason", id, "aria-hidden": "true" }, fill(sentence, { time: clockOf(seconds) })),
  ];
}

/** Describes the way back to the number. Without a script it ends the login. */
export function changeForm(view: View): ViewElement {
  return form(view, "cancel", h("button", { part: "quiet change" }, view.strings.changeNumber));
}

/** Tells whether an action is pending, so that no other may begin. */
export function isBusy({ live }: View): boolean {
  return live?.pending !== undefined && live.pending !== "state";
}

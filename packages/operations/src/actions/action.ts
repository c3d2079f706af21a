import type { ViewName } from "../page/navigation.ts";
import type { PageContext } from "../page-context.ts";
import type { Html } from "../page-parts.ts";

/** The fields of a submitted form. */
export type Form = Readonly<Record<string, string>>;

/** What an action did. */
export interface ActionOutcome {
  /** `unchanged` if there was nothing to do, as when the action was done before. */
  readonly outcome: "done" | "unchanged" | "failed";
  /** What stands before the sentence, in place of "Done.", if somebody should look at it: only a part was done. */
  readonly caution?: string;
  /** The outcome in a sentence or two. */
  readonly text: string;
  /** What was acted on, without a phone number or an address. */
  readonly target?: string | undefined;
  readonly error?: unknown;
  readonly details?: Html;
}

/** An action of an operator. */
export interface Action {
  /** The name in the event. */
  readonly name: string;
  /** The view that has its button. */
  readonly view: ViewName;
  /**
   * Returns the question before the action, and the label of its button; without a label, the sentence says what is wrong with the form.
   * `undefined` for a form that asks itself.
   */
  readonly ask: (
    context: PageContext,
    form: Form,
  ) => Promise<{ readonly question: string; readonly yes?: string } | undefined>;
  readonly run: (context: PageContext, form: Form) => Promise<ActionOutcome>;
}

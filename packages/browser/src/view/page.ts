import { codeStep } from "./code-step.ts";
import { h, type ViewChild, type ViewElement } from "./node.ts";
import { changeForm, form, formButton, hidden, numberNode, problemNote } from "./parts.ts";
import { phoneStep } from "./phone-step.ts";
import { stepOf, type View } from "./view.ts";
import { fillNodes } from "./words.ts";

/** Describes the whole page for a view. The server and the element show the same. */
export function page(view: View): ViewElement {
  const step = stepOf(view);
  return h(
    "div",
    { part: "root" },
    h(
      "div",
      { part: `step ${step}-step`, "aria-busy": step === "loading" || view.live?.isSlow ? "true" : undefined },
      contents(view, step),
    ),
    // It outlives the steps: only a change of a region that was there before is announced.
    h("p", { part: "announcement", role: "status" }, view.live?.announcement),
  );
}

function contents(view: View, step: ReturnType<typeof stepOf>): ViewChild {
  const { state, strings, purpose, problem } = view;
  switch (step) {
    case "code":
      return state?.status === "code_sent" && codeStep(view, state);
    case "phone":
      return phoneStep(view);
    case "done":
      return [
        problemNote(view),
        h(
          "p",
          { part: "intro done", role: "status" },
          fillNodes(strings.done[purpose], { phone: state?.status === "verified" && numberNode(state) }),
        ),
        purpose === "login" && form(view, "logout", formButton(view, "logout", "quiet logout", strings.logout)),
        // The field belongs to a form of the app, which has the proof without its own script.
        state?.status === "verified" && [hidden("proof", state.proof, view.form), changeForm(view)],
      ];
    case "loading":
      return problem && [problemNote(view), h("button", { part: "quiet retry", type: "button" }, strings.retry)];
  }
}

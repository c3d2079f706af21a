import type { LoginProblem } from "../client/problem.ts";
import type { StateResult } from "../client/snapshots.ts";
import { asciiNumber } from "../view/typed-number.ts";
import type { ShownProblem } from "../view/view.ts";
import { dispatch } from "./events.ts";
import type { LivePage } from "./live-page.ts";

/** Waits for an action, and shows its problem. Returns nothing for an action that no longer matters. */
export type RunAction = (action: Promise<StateResult>) => Promise<StateResult | undefined>;

/** Creates the function that runs the actions of a page. `isConnected` is true until the element leaves the page. */
export function createRunAction(page: LivePage, isConnected: () => boolean): RunAction {
  return async (action) => {
    page.setProblem(undefined);
    const result = await action;
    if (!isConnected()) return undefined;
    if ("state" in result) return result;
    const { problem } = result;
    if (problem.code === "aborted") return undefined;
    page.refuse(explained(page, problem));
    dispatch(page.element, "phone-login:problem", { problem });
    return result;
  };
}

/** Tells an ambiguous number from a wrong one: it begins with the country code, without a plus. */
function explained({ settings, model }: LivePage, problem: LoginProblem): ShownProblem {
  const countries = settings().offer?.countries ?? [];
  const chosen = countries.find(({ country }) => country === model.country) ?? countries[0];
  const isAmbiguous =
    problem.code === "phone_invalid" && chosen && asciiNumber(model.phone).startsWith(chosen.callingCode);
  return isAmbiguous ? { ...problem, code: "phone_ambiguous" } : problem;
}

import type { StateResult } from "../client/snapshots.ts";
import { refineProblem } from "../view/countries.ts";
import { dispatch } from "./events.ts";
import { type LivePage, noOffer } from "./live-page.ts";

/** Waits for an action, and shows its problem. Returns nothing for an action that no longer matters. */
export type RunAction = (action: Promise<StateResult>) => Promise<StateResult | undefined>;

/** Creates the function that runs the actions of a page. `isConnected` is true until the element leaves the page. */
export function createRunAction(page: LivePage, isConnected: () => boolean): RunAction {
  const { element, model } = page;
  return async (action) => {
    page.setProblem(undefined);
    const result = await action;
    if (!isConnected()) return undefined;
    if ("state" in result) return result;
    const { problem } = result;
    if (problem.code === "aborted") return undefined;
    const { offer = noOffer, language } = page.settings();
    // The person has gone on to another number, whose step shows no problem of a code.
    const isLeft = problem.action === "confirm" && model.isChanging;
    if (!isLeft) page.refuse(refineProblem(problem, model.phone, { live: model, offer, language }));
    dispatch(element, "phone-login:problem", { problem });
    return result;
  };
}

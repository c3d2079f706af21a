import type { PhoneLoginClient, StateResult } from "../client/phone-login-client.ts";
import type { LoginProblem } from "../client/problem.ts";
import { asciiNumber } from "../view/typed-number.ts";
import type { ShownProblem } from "../view/view.ts";
import { dispatch } from "./events.ts";
import type { Fields } from "./fields.ts";
import type { LivePage } from "./live-page.ts";
import type { WebOtp } from "./web-otp.ts";

/** What acts need beside the page. */
export interface ActDeps {
  readonly page: LivePage;
  readonly fields: Fields;
  readonly otp: WebOtp;
  /** Asks for the offer if nobody gave it. */
  loadOffer(): Promise<void>;
  /** True until the element leaves the page. */
  isConnected(): boolean;
}

/** Returns the client of a page. */
export function clientOf({ page }: ActDeps): PhoneLoginClient {
  return page.settings().client;
}

/** Lets the browser fill in the code of the next text. */
export function askOtp({ otp, fields }: ActDeps): void {
  otp.ask(fields.fillCode);
}

/** Does an act, and shows its problem. Returns nothing for an act that no longer matters. */
export async function runAct(
  { page, isConnected }: ActDeps,
  act: Promise<StateResult>,
): Promise<StateResult | undefined> {
  page.setProblem(undefined);
  const result = await act;
  if (!isConnected()) return undefined;
  if ("state" in result) return result;
  const { problem } = result;
  if (problem.code === "aborted") return undefined;
  page.refuse(explained(page, problem));
  dispatch(page.element, "phone-login:problem", { problem });
  return result;
}

/** Tells an ambiguous number from a wrong one: it begins with the country code, without a plus. */
function explained({ model, settings }: LivePage, problem: LoginProblem): ShownProblem {
  const countries = settings().offer?.countries ?? [];
  const chosen = countries.find(({ country }) => country === model.country) ?? countries[0];
  const isAmbiguous =
    problem.code === "phone_invalid" && chosen && asciiNumber(model.phone).startsWith(chosen.callingCode);
  return isAmbiguous ? { ...problem, code: "phone_ambiguous" } : problem;
}

/** Returns a field of a form that was submitted; undefined when it is empty. */
export function textIn(data: FormData, name: string): string | undefined {
  return data.get(name)?.toString() || undefined;
}

import { expect } from "vitest";
import type { Browser } from "../support/browser.ts";
import { newestCode } from "../support/login-setup.ts";
import { type App, type casesOf, failedClosed, openApp, refusalOf } from "./app.ts";
import { type Loss, losses } from "./command-wire.ts";
import type { Ground } from "./ground.ts";
import { type Interrupt, type Interrupted, interruptEach } from "./interruptions.ts";

/** A login of which a request is interrupted. */
interface Trial {
  readonly app: App;
  /** That nobody else has: no login ends that of another. */
  readonly phone: string;
  readonly interrupt: Interrupt;
  endLeases(): Promise<void>;
}

/** An app, and what is lost. */
interface TrialCase extends Pick<ReturnType<typeof casesOf>[number], "host" | "codes"> {
  readonly loss: Loss;
}

/** Each case with each loss. */
export function withLosses<Case>(cases: readonly Case[]) {
  return cases.flatMap((one) => losses.map((loss) => ({ ...one, loss })));
}

let numbers = 0;

/** Tries a request of a login at each of its commands; answers how many there are. */
export async function tryAtEach(
  ground: Ground,
  { host, codes, loss }: TrialCase,
  trial: (given: Trial) => Promise<void>,
): Promise<number> {
  // On one connection the commands have one order, whatever is asked at once: each of them is cut once.
  const { store, wire, ready, endLeases } = await ground.openStore({ pool: { max: 1 } });
  const app = await openApp(host, { store, codes });
  const commands = await interruptEach({ wire, ready }, loss, (interrupt) =>
    trial({ app, phone: `+491512${3_456_000 + numbers++}`, interrupt, endLeases }),
  );
  app.expectSilence();
  return commands;
}

/** Asserts that a request that was cut failed closed, and that any other came to its end. */
export function expectEither({ answer, isCut }: Interrupted, end: string): void {
  if (isCut) expect(refusalOf(answer)).toEqual(failedClosed);
  else expect(answer.json.code ?? answer.json.status).toBe(end);
}

/** Asserts that the newest code logs in, and that it is the only login of its number. */
export async function expectLogin(app: App, browser: Browser, phone: string): Promise<void> {
  const answer = await browser.post("/login/confirm", { code: newestCode(app.service) });
  expect(answer.json.status).toBe("logged_in");
  expect((await browser.get("/account")).status).toBe(200);
  expect(loginsOf(app, phone)).toHaveLength(1);
}

/** The logins of a number that the app heard of, each once. */
export function loginsOf({ logins }: App, phone: string): readonly string[] {
  return [...new Set(logins.filter((login) => login.phone === phone).map(({ loginId }) => loginId))];
}

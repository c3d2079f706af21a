import { expect } from "vitest";
import type { Browser } from "../support/browser.ts";
import { type Loss, losses } from "../support/command-proxy.ts";
import { type Host, hosts } from "../support/hosts.ts";
import { type CodeOwner, codeOwners, newestCode } from "../support/login-setup.ts";
import { pairwise } from "../support/pairwise.ts";
import { type App, failedClosed, openApp, refusalOf } from "./app.ts";
import { type Interrupt, type Interrupted, interruptEach } from "./interrupt-each.ts";
import { type StoppableServer, serverNames } from "./stoppable-server.ts";

/** A login with a request that is interrupted. */
interface InterruptedLogin {
  readonly app: App;
  /** A number of its own, so that no login ends that of another. */
  readonly phone: string;
  readonly interrupt: Interrupt;
  endLeases(): Promise<void>;
}

/** A framework, an owner of the codes, and the half of an exchange that is lost. */
export interface InterruptedCase {
  readonly host: Host;
  readonly owner: CodeOwner;
  readonly loss: Loss;
}

const cases = pairwise({ server: serverNames, host: hosts, owner: codeOwners, loss: losses });

/** Answers the cases of a kind of server: with those of the other, each two values of any two dimensions occur together. */
export function interruptedCases(serverName: string): readonly InterruptedCase[] {
  return cases.filter(({ server }) => server === serverName);
}

let numbers = 0;

/** Interrupts a request of a login at each of its commands. Answers how many there are. */
export async function interruptLogins(
  server: StoppableServer,
  { host, owner: { codes }, loss }: InterruptedCase,
  scenario: (login: InterruptedLogin) => Promise<void>,
): Promise<number> {
  // On one connection the commands have a fixed order, also those that are sent together: each of them is cut once.
  const { store, proxy, ready, endLeases } = await server.openStore({ pool: { max: 1 } });
  const app = await openApp(host, { store, codes });
  const commands = await interruptEach({ proxy, ready }, loss, (interrupt) =>
    scenario({ app, phone: `+491512${3_456_000 + numbers++}`, interrupt, endLeases }),
  );
  app.expectNoSecrets();
  return commands;
}

/** Asserts that a request failed closed if it was cut, and otherwise ended as expected. */
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

/** Answers the logins of a number that reached the app, each once. */
export function loginsOf({ logins }: App, phone: string): readonly string[] {
  return [...new Set(logins.filter((login) => login.phone === phone).map(({ loginId }) => loginId))];
}

import type { Store } from "@doorcode/core/store";
import type { Deployment } from "../../support/deployment.ts";
import { interceptStore } from "../../support/intercepted-store.ts";
import { serviceOwned, setUpLogin, wrongCode } from "../../support/login-setup.ts";
import type { Platform } from "../../support/platforms.ts";

/** How the store flaps while a right code is confirmed. Every combination is one login. */
export interface FlappingOptions {
  /** The numbers of calls that fail in a row. */
  readonly lengths: readonly number[];
}

/** What an attacker gets out of a store that flaps. */
export interface FlappingFigures {
  readonly logins: number;
  /** The greatest number of codes that the service has evaluated for one login. */
  readonly maxEvaluated: number;
  /** The greatest number of times that a login was completed. */
  readonly maxCompleted: number;
}

const attempts = 5;
const leaseMilliseconds = 15_000;

/**
 * Plays a store that restarts over HTTP: at each call of a confirmation in turn it fails for some calls, before or after it has carried
 * them out. The code was right; then the attacker guesses on until the login is over.
 */
export async function playFlappingStore(platform: Platform, { lengths }: FlappingOptions): Promise<FlappingFigures> {
  const app = platform.deploy();
  const flapping = createFlappingStore(app);
  const login = await setUpLogin(platform, { app, store: flapping.store, codes: serviceOwned.codes });
  const { service, events, started } = login;
  const figures = { logins: 0, maxEvaluated: 0, maxCompleted: 0 };

  /** Returns whether the store has failed in this login. */
  async function playLogin(flap: Flap): Promise<boolean> {
    // A number of its own, so that no limit of a number ends the attack.
    const browser = await started({ phone: `+491512${3_000_000 + figures.logins}` });
    const [evaluated, completed] = [service.confirmations.length, events.length];
    flapping.begin(flap);
    await browser.post("/login/confirm", { code: service.code });
    await app.atRest();
    const hasFailed = flapping.end();
    await app.passTime(leaseMilliseconds);
    for (let guess = 0; guess <= attempts; guess++) {
      await browser.post("/login/confirm", { code: wrongCode(service) });
    }
    const isCompletion = ({ type }: { readonly type: string }) => type === "login.completed";
    figures.logins++;
    figures.maxEvaluated = Math.max(figures.maxEvaluated, service.confirmations.length - evaluated);
    figures.maxCompleted = Math.max(figures.maxCompleted, events.slice(completed).filter(isCompletion).length);
    return hasFailed;
  }

  for (const length of lengths) {
    for (const carriedOut of [false, true]) {
      for (let first = 0; await playLogin({ first, length, carriedOut }); first++);
    }
  }
  return figures;
}

/** Calls of the store that fail. */
interface Flap {
  /** The first of them, counted from 0. */
  readonly first: number;
  readonly length: number;
  /** The store carries them out, and only the answers are lost. */
  readonly carriedOut: boolean;
}

interface FlappingStore {
  readonly store: Store;
  begin(flap: Flap): void;
  /** Ends the flap, and returns whether a call has failed. */
  end(): boolean;
}

function createFlappingStore(app: Deployment): FlappingStore {
  let flap: Flap | undefined;
  let calls = 0;
  const store = interceptStore(app.connect(), async (_call, ask) => {
    const place = calls++;
    if (!flap || place < flap.first || place >= flap.first + flap.length) return ask();
    if (flap.carriedOut) await ask();
    throw new Error("The store restarts.");
  });
  return {
    store,
    begin(next) {
      flap = next;
      calls = 0;
    },
    end() {
      const hasFailed = flap !== undefined && calls > flap.first;
      flap = undefined;
      return hasFailed;
    },
  };
}

import { createMemoryStore, isDoorcodeError, type LoginLimits, type LoginOptions } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import { countConfirmed, countUndelivered } from "../../packages/core/src/limits/after-sending.ts";
import { createCounters } from "../../packages/core/src/limits/counters.ts";
import type { LimitFacts, SendDecision } from "../../packages/core/src/limits/decision.ts";
import { loginLimitsShape } from "../../packages/core/src/limits/login-limits.ts";
import type { LoginDeps } from "../../packages/core/src/login/login-deps.ts";
import type { LoginEvent } from "../../packages/core/src/login/login-event.ts";
import { allowSend } from "../../packages/core/src/login/send.ts";
import type { LoginTransaction, NewestCode } from "../../packages/core/src/login/transaction.ts";
import { createTextsOfDay } from "./texts-of-day.ts";
import type { World } from "./world.ts";

/** A request for a code, as the kit sees it. */
export interface CodeRequest {
  readonly phone: string;
  readonly country: string;
  readonly address: string;
  readonly network: string;
  readonly device: string;
  /** Whether it solves a challenge, if it is asked to. */
  readonly solves?: boolean;
}

/** A code that was sent. */
export interface SentCode {
  /** @param device - the device that enters the code; the one that has asked for it unless told otherwise. */
  confirm(device?: string): Promise<void>;
  /** Asks for another code of the same login. */
  resend(): Promise<SentCode | { readonly refusedBy: string }>;
  /** Tells the kit that the service could not deliver it. */
  fail(): Promise<void>;
}

/** The kit's own limits of sending, over a memory store, without the rest of the kit. */
export interface Gate {
  /** Asks for a code. Returns what refuses it, or the code that was sent. */
  request(request: CodeRequest): Promise<SentCode | { readonly refusedBy: string }>;
  /** Returns the most codes that one number got within 24 hours, whenever they began. */
  maxCodesOfNumber(): number;
  /** Returns how many codes were asked for while the app was on alert. */
  codesOnAppAlert(): number;
}

/** The defaults of the kit. */
export const defaultLimits: LoginLimits = { ...loginLimitsShape.parse({}), mode: "enforce" };

/** An app that challenges unknown devices where a limit refuses, where its country is on alert, and from the third code of a day. */
const challenging: NonNullable<LoginOptions["beforeSend"]> = ({
  knownDevice,
  onAlert,
  refusedBy,
  counters,
  challenge,
}) => {
  const codesOfNumber = counters.find(({ limit }) => limit === "number")?.count ?? 0;
  if (knownDevice || (!onAlert && !refusedBy && codesOfNumber < 3)) return "allow";
  return challenge === undefined ? "challenge" : { trust: "allow" };
};

/** Creates the gate of an app. */
export function createGate(world: World, limits: LoginLimits, hasChallenge: boolean): Gate {
  const store: Store = createMemoryStore({ clock: world.clock, maxEntries: 16_000_000 });
  const textsOf = createTextsOfDay(world);
  let maxCodes = 0;
  let codesOnAppAlert = 0;
  let decided: SendDecision | undefined;

  const { clock } = world;
  const deps = {
    name: "simulation",
    store,
    clock,
    counters: createCounters({ store, clock }),
    // A simulated number needs no secrecy.
    keys: { fingerprint: (text: string) => text },
    limits,
    publish: (event: LoginEvent) => {
      if (event.type === "login.send_decided") decided = event;
    },
    publishLogin: () => undefined,
    callbacks: hasChallenge ? { beforeSend: challenging } : {},
    beforeSendFails: "closed",
  } as unknown as LoginDeps;

  function sent(request: CodeRequest, facts: LimitFacts, sends: number): SentCode {
    const { phone, country, device: deviceDigest } = request;
    maxCodes = Math.max(maxCodes, textsOf(phone));
    return {
      confirm: (by = deviceDigest) => countConfirmed(deps, phone, facts, { deviceDigest: by }),
      fail: () => countUndelivered(deps, { e164: phone, country, type: "MOBILE" }),
      resend: () => ask(request, undefined, { facts, sends }),
    };
  }

  async function ask(
    request: CodeRequest,
    challenge: string | undefined,
    before?: Pick<NewestCode, "facts" | "sends">,
  ): Promise<SentCode | { readonly refusedBy: string }> {
    const { phone, country, device: deviceDigest } = request;
    try {
      const { facts } = await allowSend(deps, {
        asker: { client: request, challenge, readSignals: () => undefined },
        login: { phone } as LoginTransaction,
        number: { e164: phone, country, type: "MOBILE" },
        channels: ["SMS"],
        deviceDigest,
        before,
      });
      return sent(request, facts, (before?.sends ?? 0) + 1);
    } catch (error) {
      if (!isDoorcodeError(error)) throw error;
      return { refusedBy: decided?.limit === "app" ? "challenge" : (decided?.limit ?? "challenge") };
    } finally {
      if (!before && decided?.appOnAlert) codesOnAppAlert++;
    }
  }

  return {
    maxCodesOfNumber: () => maxCodes,
    codesOnAppAlert: () => codesOnAppAlert,
    async request(request) {
      const asked = await ask(request, undefined);
      return hasChallenge && "refusedBy" in asked && request.solves ? ask(request, "solved") : asked;
    },
  };
}

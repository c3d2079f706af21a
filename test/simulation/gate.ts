import { createMemoryStore, type LoginLimits, type LoginOptions } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import type { CountedLogin } from "../../packages/core/src/limits/counted-login.ts";
import { loginLimitsShape } from "../../packages/core/src/limits/login-limits.ts";
import { createSendLimits } from "../../packages/core/src/limits/send-limits.ts";
import type { LoginDeps } from "../../packages/core/src/login/login-deps.ts";
import { isTentative, permitSend } from "../../packages/core/src/login/permit-send.ts";
import type { LoginTransaction } from "../../packages/core/src/login/transaction.ts";
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
  confirm(): Promise<void>;
  /** Tells the kit that the service could not deliver it. */
  fail(): Promise<void>;
}

/** The kit's own limits of sending, over a memory store, without the rest of the kit. */
export interface Gate {
  /** Asks for a code. Returns what refuses it, or the code that was sent. */
  request(request: CodeRequest): Promise<SentCode | { readonly refusedBy: string }>;
  /** Returns the most codes that one number got in one day. */
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
  const sendLimits = createSendLimits({
    name: "simulation",
    store,
    clock: world.clock,
    // A simulated number needs no secrecy.
    keys: { fingerprint: (text) => text },
    limits,
  });

  const codesOfDay = new Map<string, number>();
  let day = 0;
  let maxCodes = 0;
  let codesOnAppAlert = 0;

  function noteCode(phone: string): void {
    const today = Math.floor(world.now() / 86_400);
    if (today !== day) codesOfDay.clear();
    day = today;
    const codes = (codesOfDay.get(phone) ?? 0) + 1;
    codesOfDay.set(phone, codes);
    maxCodes = Math.max(maxCodes, codes);
  }

  const deps = {
    clock: world.clock,
    sendLimits,
    publish: () => undefined,
    publishLogin: () => undefined,
    callbacks: hasChallenge ? { beforeSend: challenging } : {},
    beforeSendFails: "closed",
  } as unknown as LoginDeps;

  function sent({ phone, country, device }: CodeRequest, counted: CountedLogin): SentCode {
    noteCode(phone);
    return {
      confirm: () => sendLimits.countConfirmed(phone, counted, { device }),
      fail: () => sendLimits.countUndelivered({ e164: phone, country, type: "MOBILE" }),
    };
  }

  async function ask(request: CodeRequest, challenge: string | undefined) {
    const { phone, country, address, network, device } = request;
    const client = { address, network };
    const asker = { client, challenge, readSignals: () => undefined };
    const isTentativeOnly = isTentative(deps);
    const limited = await sendLimits.reserve({ phone, country, client, device, isTentative: isTentativeOnly });
    if (limited.decision.appOnAlert) codesOnAppAlert++;
    const transaction = { phone } as LoginTransaction;
    const number = { e164: phone, country, type: "MOBILE" };
    const permitted = await permitSend(deps, limited, { asker, transaction, number, channels: ["SMS"], resend: false });
    if (!("refusal" in permitted)) return sent(request, permitted.counted);
    await permitted.undo();
    return { refusedBy: "refusal" in limited ? limited.refusedBy.limit : "challenge" };
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

import { createMemoryStore, type LoginLimits } from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import type { CountedLogin } from "../../packages/core/src/limits/counted-login.ts";
import { loginLimitsShape } from "../../packages/core/src/limits/login-limits.ts";
import { createSendLimits } from "../../packages/core/src/limits/send-limits.ts";
import type { World } from "./world.ts";

/** A request for a code, as the kit sees it. */
export interface CodeRequest {
  readonly phone: string;
  readonly country: string;
  readonly address: string;
  readonly network: string;
  readonly device: string;
}

/** A code that was sent. */
export interface SentCode {
  confirm(): Promise<void>;
}

/** The kit's own limits of sending, over a memory store, without the rest of the kit. */
export interface Gate {
  /** Asks for a code. Returns what refuses it, or the code that was sent. */
  request(request: CodeRequest): Promise<SentCode | { readonly refusedBy: string }>;
  /** Returns the most codes that one number got in one day. */
  maxCodesOfNumber(): number;
}

/** The defaults of the kit. */
export const defaultLimits: LoginLimits = { ...loginLimitsShape.parse({}), mode: "enforce" };

/** Creates the gate of an app. */
export function createGate(world: World, limits: LoginLimits): Gate {
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

  function noteCode(phone: string): void {
    const today = Math.floor(world.now() / 86_400);
    if (today !== day) codesOfDay.clear();
    day = today;
    const codes = (codesOfDay.get(phone) ?? 0) + 1;
    codesOfDay.set(phone, codes);
    maxCodes = Math.max(maxCodes, codes);
  }

  function sent({ phone, device }: CodeRequest, counted: CountedLogin): SentCode {
    noteCode(phone);
    return {
      confirm: () => sendLimits.countConfirmed(phone, counted, device),
    };
  }

  return {
    maxCodesOfNumber: () => maxCodes,
    async request(request) {
      const { phone, country, address, network, device } = request;
      const reserved = await sendLimits.reserve({ phone, country, client: { address, network }, device });
      if (!("refusal" in reserved)) return sent(request, reserved.counted);
      await reserved.undo();
      return { refusedBy: reserved.refusedBy.limit };
    },
  };
}

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

  function sent({ phone, device }: CodeRequest, counted: CountedLogin): SentCode {
    return {
      confirm: () => sendLimits.countConfirmed(phone, counted, device),
    };
  }

  return {
    async request(request) {
      const { phone, country, address, network, device } = request;
      const reserved = await sendLimits.reserve({ phone, country, client: { address, network }, device });
      if (!("refusal" in reserved)) return sent(request, reserved.counted);
      await reserved.undo();
      return { refusedBy: reserved.refusedBy.limit };
    },
  };
}

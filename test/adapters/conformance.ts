import { describe } from "vitest";
import type { TestedStore } from "../support/tested-store.ts";
import { describeBeforeSend } from "./conformance/before-send.ts";
import { describeCookies } from "./conformance/cookies.ts";
import { describeGuard } from "./conformance/guard.ts";
import { describeLogin } from "./conformance/login.ts";
import { describeOrigins } from "./conformance/origins.ts";
import { describePassing } from "./conformance/passing.ts";
import { describeSessions } from "./conformance/sessions.ts";
import { describeTokens } from "./conformance/tokens.ts";
import { describeVerify } from "./conformance/verify.ts";
import { describeWaiting } from "./conformance/waiting.ts";
import { describeWebhooks } from "./conformance/webhooks.ts";
import type { AdapterHost } from "./host.ts";

/** Describes what every adapter must do, on its real framework over real HTTP. */
export function describeAdapter(host: AdapterHost, stores: readonly TestedStore[]): void {
  describe(`the adapter of ${host.name}`, () => {
    describeWebhooks(host);
    describeLogin(host);
    describeOrigins(host);
    describePassing(host);
    describeCookies(host);
    describeGuard(host, stores);
    describeSessions(host);
    describeTokens(host);
    describeBeforeSend(host);
    describeVerify(host);
    describeWaiting(host);
  });
}

import { describe } from "vitest";
import { describeCookies } from "./conformance/cookies.ts";
import { describeGuard } from "./conformance/guard.ts";
import { describeLogin } from "./conformance/login.ts";
import { describeOrigins } from "./conformance/origins.ts";
import { describePassing } from "./conformance/passing.ts";
import { describeSessions } from "./conformance/sessions.ts";
import { describeWebhooks } from "./conformance/webhooks.ts";
import type { AdapterHost } from "./host.ts";

/** What every adapter must do, tried on its real framework over real HTTP. */
export function describeAdapter(host: AdapterHost): void {
  describe(`the adapter of ${host.name}`, () => {
    describeWebhooks(host);
    describeLogin(host);
    describeOrigins(host);
    describePassing(host);
    describeCookies(host);
    describeGuard(host);
    describeSessions(host);
  });
}

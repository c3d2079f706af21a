import { expect, test } from "vitest";
import { createManualClock } from "../../src/testing.ts";
import { signDelivery } from "../../src/webhooks/signature.ts";
import { createWebhookVerifier } from "../../src/webhooks/verifier.ts";

const clock = createManualClock(1_790_000_000_000);
const body = new TextEncoder().encode("{}");

/** A delivery, signed with a secret. */
function deliveryOf(secret: string) {
  return { headers: { ...signDelivery({ secret, body, timestampSeconds: 1_790_000_000 }) }, body };
}

test.each(["get", "entries"])("a header named %s is a header like any other", (name) => {
  const { headers } = deliveryOf("whk_of_the_app");
  const verify = createWebhookVerifier({ secret: "whk_of_the_app", clock });
  expect(verify({ headers: { ...headers, [name]: "a text" }, body })).toEqual({ authentic: true });
});

test("a wrong option is named, with the function that takes it", () => {
  expect(() => createWebhookVerifier({ secret: undefined })).toThrow(/^createWebhookVerifier: secret /);
  expect(() => createWebhookVerifier({ secret: "whk_of_the_app", toleranceSeconds: -1 })).toThrow(
    /createWebhookVerifier.*\btoleranceSeconds\b/,
  );
});

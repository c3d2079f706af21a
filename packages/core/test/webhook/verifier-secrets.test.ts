import { expect, test } from "vitest";
import { createManualClock } from "../../src/testing.ts";
import { signDelivery } from "../../src/webhook/signature.ts";
import { createWebhookVerifier } from "../../src/webhook/verifier.ts";

const clock = createManualClock(1_790_000_000_000);
const body = new TextEncoder().encode("{}");
const published = "sandbox-signing-secret";

/** A delivery to a host, signed with a secret. */
function deliveryTo(host: string, secret: string) {
  return { headers: { ...signDelivery({ secret, body, timestampSeconds: 1_790_000_000 }), host }, body };
}

test("a delivery that the published secret signed is authentic on this machine only, beside another secret too", () => {
  const refused = { authentic: false, reason: "secret_published" };
  for (const secret of [published, ["whk_of_the_app", published]]) {
    const verify = createWebhookVerifier({ secret, clock });
    expect(verify(deliveryTo("localhost:3000", published))).toEqual({ authentic: true });
    expect(verify(deliveryTo("app.example.com", published))).toEqual(refused);
  }
});

test.each(["host", "Host", ":authority"])("the host of the published secret is read from a header named %s", (name) => {
  const { headers } = deliveryTo("app.example.com", published);
  const verify = createWebhookVerifier({ secret: published, clock });
  const isAuthentic = (host: string) =>
    verify({ headers: { ...headers, host: undefined, [name]: host }, body }).authentic;
  expect([isAuthentic("localhost:3000"), isAuthentic("app.example.com")]).toEqual([true, false]);
});

test("the host of the published secret is read from a fetch Headers", () => {
  const verify = createWebhookVerifier({ secret: published, clock });
  const isAuthentic = (host: string) => {
    const { headers } = deliveryTo(host, published);
    return verify({ headers: new Headers(headers), body }).authentic;
  };
  expect([isAuthentic("localhost:3000"), isAuthentic("app.example.com")]).toEqual([true, false]);
});

test("a secret of the app is good for every host", () => {
  const verify = createWebhookVerifier({ secret: "whk_of_the_app", clock });
  expect(verify(deliveryTo("app.example.com", "whk_of_the_app"))).toEqual({ authentic: true });
});

test.each(["get", "entries"])("a header named %s is a header like any other", (name) => {
  const { headers } = deliveryTo("app.example.com", "whk_of_the_app");
  const verify = createWebhookVerifier({ secret: "whk_of_the_app", clock });
  expect(verify({ headers: { ...headers, [name]: "a text" }, body })).toEqual({ authentic: true });
});

test("a wrong option is named, with the function that takes it", () => {
  expect(() => createWebhookVerifier({ secret: undefined })).toThrow(/^createWebhookVerifier: secret /);
  expect(() => createWebhookVerifier({ secret: "whk_of_the_app", toleranceSeconds: -1 })).toThrow(
    /createWebhookVerifier.*\btoleranceSeconds\b/,
  );
});

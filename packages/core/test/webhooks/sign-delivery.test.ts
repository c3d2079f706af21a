import { afterEach, expect, test, vi } from "vitest";
import { signDelivery } from "../../src/webhooks/signature.ts";

afterEach(() => void vi.useRealTimers());

test("a delivery is signed with the whole second of now, unless another is given", () => {
  vi.useFakeTimers({ now: 1_790_000_000_999, toFake: ["Date"] });
  const now = signDelivery({ secret: "whk", body: "{}" });
  const given = signDelivery({ secret: "whk", body: "{}", timestampSeconds: 1_790_000_000 });
  const other = signDelivery({ secret: "whk", body: "{}", timestampSeconds: 0 });

  expect(now["X-Webhook-Timestamp"]).toBe("1790000000");
  expect(now).toEqual(given);
  expect(other["X-Webhook-Timestamp"]).toBe("0");
});

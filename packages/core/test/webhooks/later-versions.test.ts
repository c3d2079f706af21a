import { expect, test } from "vitest";
import { importSigningSecrets, signDelivery, verifyDelivery } from "../../src/webhooks/signature.ts";
import { lowerCase } from "./vectors.ts";

test("entries of later versions are not counted among the signatures, whatever they contain", () => {
  const body = new TextEncoder().encode("{}");
  const signed = lowerCase(signDelivery({ secret: "whk_ü", body, timestampSeconds: 1_790_000_000 }));
  const later = Array.from({ length: 9 }, (_, index) => `v2=v1=${index}`);
  const headers = { ...signed, "x-webhook-signature": [...later, signed["x-webhook-signature"]].join(",") };
  const check = { keys: importSigningSecrets(["whk_ü"]), toleranceSeconds: 300, nowMilliseconds: 1_790_000_000_000 };
  expect(verifyDelivery({ headers, body }, check)).toBeUndefined();
});

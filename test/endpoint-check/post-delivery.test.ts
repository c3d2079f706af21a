import { systemClock } from "@doorcode/core/store";
import { afterEach, expect, test, vi } from "vitest";
import { postDelivery } from "../../packages/cli/src/endpoint-check/post-delivery.ts";
import { createCertificates } from "../../packages/sandbox/test/support/certificates.ts";
import { serve, serveTls } from "./mistaken-apps.ts";

afterEach(() => void vi.unstubAllEnvs());

const delivery = { headers: {}, body: "{}", timeoutMilliseconds: 60_000, clock: systemClock };

test("a certificate that nobody has signed is refused, also if the environment accepts every one", async () => {
  const { selfSigned } = await createCertificates();
  const url = await serveTls(selfSigned, (_request, response) => void response.end());
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  expect(await postDelivery({ ...delivery, url })).toEqual({ failure: "DEPTH_ZERO_SELF_SIGNED_CERT" });
});

test("an answer without an end is read as far as it is shown", async () => {
  const url = await serve((_request, response) => void response.writeHead(200).write("x".repeat(3000)));
  expect(await postDelivery({ ...delivery, url })).toMatchObject({ status: 200, body: "x".repeat(2000) });
});

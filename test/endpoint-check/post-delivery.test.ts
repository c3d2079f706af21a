import { systemClock } from "@doorcode/core/store";
import { expect, test } from "vitest";
import { postDelivery } from "../../packages/cli/src/endpoint-check/post-delivery.ts";
import { serve } from "./mistaken-apps.ts";

const delivery = { headers: {}, body: "{}", timeoutMilliseconds: 60_000, clock: systemClock };

test("an answer without an end is read as far as it is shown", async () => {
  const url = await serve((_request, response) => void response.writeHead(200).write("x".repeat(3000)));
  expect(await postDelivery({ ...delivery, url })).toMatchObject({ status: 200, body: "x".repeat(2000) });
});

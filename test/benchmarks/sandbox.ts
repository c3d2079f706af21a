import { createSandbox } from "@doorcode/sandbox";
import { phoneOf, serve } from "./measure.ts";

const sandbox = await createSandbox({ port: 0, clock: "frozen" });

serve("ready", async (index) => {
  const request = new Request(`${sandbox.env.SERVICE_URL}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": sandbox.env.SERVICE_API_KEY },
    body: JSON.stringify({
      recipients: [phoneOf(index)],
      channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "Hello" } }],
    }),
  });
  const response = await sandbox.fetch(request);
  if (!response.ok) throw new Error(await response.text());
});

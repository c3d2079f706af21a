import { Agent, request } from "undici";

const agent = new Agent();

/** Has the service send a code of the app, with the same request, client and version of the client as the kit. */
export async function callService(
  serviceUrl: string,
  code: { readonly phone: string; readonly code: string },
): Promise<void> {
  const { statusCode, body } = await request(`${serviceUrl}/verifications`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "key_of_the_benchmark" },
    body: JSON.stringify({
      recipient: code.phone,
      channels: [{ channel_name: "SMS", priority: 1 }],
      custom_otp: code.code,
    }),
    dispatcher: agent,
  });
  const answer = (await body.json()) as { readonly error_code?: string };
  if (statusCode !== 200 || answer.error_code) throw new Error("The service refused a code.");
}

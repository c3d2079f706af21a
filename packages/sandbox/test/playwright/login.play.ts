import { test } from "@doorcode/sandbox/playwright";
import { expect } from "@playwright/test";

const to = "+4915112345678";

for (const name of ["the first", "the second", "the third", "the fourth"]) {
  test(`${name} sees only its own code`, async ({ sandbox, application, request }) => {
    const { SERVICE_URL, SERVICE_API_KEY } = application.env;
    const answer = await request.post(`${SERVICE_URL}/verifications`, {
      headers: { "X-API-KEY": SERVICE_API_KEY },
      data: {
        recipient: to,
        template: { name: "login", variables: {} },
        channels: [{ channel_name: "SMS", priority: 1 }],
      },
    });
    expect(answer.status()).toBe(200);
    const { code } = await application.inbox.wait({ to });
    expect(application.inbox.list({ to })).toMatchObject([{ code }]);
    test
      .info()
      .annotations.push({ type: "sandbox", description: sandbox.url }, { type: "key", description: SERVICE_API_KEY });
  });
}

import { createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/fetch";
import type { RequestEvent } from "@sveltejs/kit";

const { env } = process;

export const doorcode = createDoorcode({
  origins: env.ORIGIN ? [env.ORIGIN] : undefined,
  service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
  login: {
    countries: ["DE", "AT", "CH"],
    codes: serviceCodes({ template: "login" }),
    // A real app looks the user up, or creates one.
    onLogin: ({ phone }) => phone,
  },
  session: { password: env.SESSION_PASSWORD },
  webhooks: {
    secret: env.WEBHOOK_SECRET,
    on: { "verification.update": ({ data }) => void process.stdout.write(`webhook: ${data.status}\n`) },
  },
});

export const login = phoneLogin(doorcode, {
  basePath: "/login",
  remoteAddress: (event: RequestEvent) => event.getClientAddress(),
  forms: { page: "/login", done: "/account" },
});

import { createDoorcode, serviceCodes } from "@doorcode/core";

export const statuses: (string | undefined)[] = [];

export const doorcode = createDoorcode({
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  session: { password: process.env.SESSION_PASSWORD },
  login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: ({ phone }) => `user ${phone}` },
  webhooks: {
    secret: process.env.WEBHOOK_SECRET,
    on: { "verification.update": ({ data }) => void statuses.push(data.status) },
  },
});

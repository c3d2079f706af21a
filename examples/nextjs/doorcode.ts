import { createDoorcode, createMemoryStore, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/fetch";
import { after } from "next/server";

export const doorcode = createDoorcode({
  origins: process.env.ORIGIN ? [process.env.ORIGIN] : undefined,
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  login: {
    countries: ["DE", "AT", "CH"],
    codes: serviceCodes({ template: "login" }),
    // A real app looks the user up, or creates one.
    onLogin: ({ phone }) => phone,
  },
  session: { password: process.env.SESSION_PASSWORD },
  webhooks: {
    secret: process.env.WEBHOOK_SECRET,
    on: { "verification.update": ({ data }) => void process.stdout.write(`webhook: ${data.status}\n`) },
  },
  // `next start` is one process. On a host that starts several, take the store of @doorcode/redis or @doorcode/postgres.
  store: createMemoryStore({ name: "doorcode" }),
});

export const login = phoneLogin(doorcode, {
  basePath: "/login",
  // The last entry is the one that your own proxy has added. On Vercel: headers.get("x-real-ip").
  remoteAddress: ({ headers }) => headers.get("x-forwarded-for")?.split(",").at(-1),
  waitUntil: after,
  forms: { page: "/login", done: "/account" },
});

import { createDoorcode, createMemoryStore, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/fetch";
import { after } from "next/server";

/** In the memory of all parts of the app: Next.js may load this file once for each route. */
const memory = globalThis as typeof globalThis & { statuses?: (string | undefined)[] };
memory.statuses ??= [];
export const { statuses } = memory;

export const doorcode = createDoorcode({
  origins: ["https://app.example.com"],
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  session: { password: process.env.SESSION_PASSWORD },
  login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: ({ phone }) => `user ${phone}` },
  webhooks: {
    secret: process.env.WEBHOOK_SECRET,
    on: { "verification.update": ({ data }) => void statuses?.push(data.status) },
  },
  store: createMemoryStore({ name: "doorcode" }),
});

export const login = phoneLogin(doorcode, {
  basePath: "/login",
  remoteAddress: ({ headers }) => headers.get("x-forwarded-for")?.split(",").at(-1),
  waitUntil: after,
});

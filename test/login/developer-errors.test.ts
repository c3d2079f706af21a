import { createDoorcode, type DoorcodeEvent, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/fetch";
import { createSandbox } from "@doorcode/sandbox";
import { expect, onTestFinished, test } from "vitest";

/** Starts a login against a sandbox, and returns what the person and what the developer see of its failure. */
async function failedStart({ template, path }: { readonly template: string; readonly path: string }) {
  const sandbox = await createSandbox({ port: 0 });
  const events: DoorcodeEvent[] = [];
  const doorcode = createDoorcode({
    service: { baseUrl: sandbox.url + path, apiKey: sandbox.env.SERVICE_API_KEY },
    session: { password: sandbox.env.SESSION_PASSWORD },
    login: { countries: ["DE"], codes: serviceCodes({ template }), onLogin: () => "user_1" },
    onEvent: (event) => events.push(event),
  });
  onTestFinished(async () => void (await Promise.all([doorcode.close(), sandbox.close()])));
  const body = JSON.stringify({ phone: "+4915123456789" });
  const headers = { "content-type": "application/json", host: "localhost" };
  const request = new Request("http://localhost/login/start", { method: "POST", headers, body });
  const response = await phoneLogin(doorcode, { basePath: "/login" })(request, { remoteAddress: "127.0.0.1" });
  const failed = events.find((event) => event.type === "login.send_failed");
  return { shown: await response?.text(), message: String((failed?.error as Error | undefined)?.message) };
}

test("a template that the application does not have is named to the developer, with those that it has", async () => {
  const { shown, message } = await failedStart({ template: "logn", path: "/v1" });
  expect(message).toMatch(/no template "logn"\. It has login\. Add it in the portal, or with the option templates\./);
  expect(shown).toContain("send_failed");
  expect(shown).not.toMatch(/logn|template/);
});

test("a URL of the service without its version is explained to the developer by the first call", async () => {
  const { shown, message } = await failedStart({ template: "login", path: "" });
  expect(message).toContain(
    "Nothing answers at /verifications below service.baseUrl. Its path may be missing, such as /v1.",
  );
  expect(shown).not.toMatch(/v1|baseUrl/);
});

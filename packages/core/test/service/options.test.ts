import { MockAgent } from "undici";
import { expect, test } from "vitest";
import { createServiceClient, type ServiceOptions } from "../../src/service/client.ts";
import { apiKey, baseUrl, mockService } from "./mock-service.ts";

const wrong: readonly [names: RegExp, options: Record<string, unknown>][] = [
  [/baseUrl.*SERVICE_URL/, { baseUrl: undefined }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "service.example" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "http://service.example" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "http://localhost.example" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "ftp://localhost" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "https://user:hunter2@service.example" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "https://service.example/?key=hunter2" }],
  [/baseUrl.*SERVICE_URL/, { baseUrl: "https://service.example/#v1" }],
  [/apiKey.*SERVICE_API_KEY/, { apiKey: undefined }],
  [/apiKey.*SERVICE_API_KEY/, { apiKey: "" }],
  [/apiKey.*SERVICE_API_KEY/, { apiKey: "hunter2\n" }],
  [/apiKey.*SERVICE_API_KEY/, { apiKey: "hunter2\r\nx-evil: 1" }],
  [/connectTimeoutSeconds/, { connectTimeoutSeconds: 0 }],
];

test.each(wrong)("refuses a wrong option and names it, %s: %j", (names, options) => {
  const create = () => createServiceClient({ baseUrl, apiKey, ...options } as ServiceOptions);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(names);
  expect(create).not.toThrow(/hunter2/);
});

test.each([
  ["https://service.example", "/messages"],
  ["https://service.example/", "/messages"],
  ["https://service.example/v1", "/v1/messages"],
  ["https://service.example/v1//", "/v1/messages"],
  ["https://service.example/a/b/", "/a/b/messages"],
])("accepts the base URL %s", async (base, path) => {
  const agent = new MockAgent();
  agent.get("https://service.example").intercept({ path }).reply(200, []);
  const client = createServiceClient({ baseUrl: base, apiKey, dispatcher: agent });
  expect(await client.messages.list()).toEqual([]);
});

test("names the host in the error of a service that does not answer, so that a wrong URL is seen", async () => {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const client = createServiceClient({ baseUrl: "https://service.example:8443/v1", apiKey, dispatcher: agent });
  await expect(client.messages.list()).rejects.toThrow("https://service.example:8443 did not answer");
});

test("closes its own connections and leaves a given dispatcher open", async () => {
  const own = createServiceClient({ baseUrl, apiKey });
  await own.close();
  await expect(own.messages.list()).rejects.toMatchObject({ code: "service_unavailable", outcome: "refused" });

  const { client } = mockService({ status: 200, body: [] });
  await client.close();
  expect(await client.messages.list()).toEqual([]);
});

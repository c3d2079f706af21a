import { checkEndpoint } from "@doorcode/cli/endpoint-check";
import { createDoorcode, createProofVerifier, createWebhookVerifier, serviceCodes } from "@doorcode/core";
import { createServiceClient } from "@doorcode/core/service";
import { createSandbox } from "@doorcode/sandbox";
import { afterEach, describe, expect, test, vi } from "vitest";

const sandbox = await createSandbox({ port: "none" });
const { SERVICE_API_KEY: apiKey, WEBHOOK_SECRET: signingSecret, SESSION_PASSWORD: password } = sandbox.env;
const key = "key_of_the_tests";
const here = "http://127.0.0.1:9/v1";
const elsewhere = "https://service.example/v1";

const origins = ["https://app.example.com"];

function serviceAt(baseUrl: string | undefined) {
  return baseUrl === undefined ? {} : { service: { baseUrl, apiKey: key } };
}

const login = { countries: ["DE"], codes: serviceCodes({ template: "login" }) } as const;

type Called = (secret: never, baseUrl: string | undefined) => unknown;

const createWith =
  (member: (secret: unknown) => object): Called =>
  (secret, url) =>
    createDoorcode({ origins, ...serviceAt(url), ...member(secret) });

/** Every function that takes a secret of the app: the secret that the sandbox publishes, and a call with a secret and a service. */
const functions: readonly [name: string, published: string, call: Called][] = [
  ["createDoorcode, session.password", password, createWith((secret) => ({ session: { password: secret } }))],
  ["createDoorcode, login.password", password, createWith((secret) => ({ login: { ...login, password: secret } }))],
  ["createDoorcode, webhooks.secret", signingSecret, createWith((secret) => ({ webhooks: { secret } }))],
  [
    "createProofVerifier, password",
    password,
    (secret, url) => createProofVerifier({ password: secret, audience: "shop", ...serviceAt(url) }),
  ],
  [
    "createWebhookVerifier, secret",
    signingSecret,
    (secret, url) => createWebhookVerifier({ secret, ...serviceAt(url) }),
  ],
];

/** The functions whose one secret goes to one URL. */
const senders: readonly [name: string, published: string, call: (secret: string, url: string) => unknown][] = [
  [
    "createDoorcode, service.apiKey",
    apiKey,
    (secret, baseUrl) => createDoorcode({ service: { baseUrl, apiKey: secret } }),
  ],
  ["createServiceClient, apiKey", apiKey, (secret, baseUrl) => createServiceClient({ baseUrl, apiKey: secret })],
  ["checkEndpoint, secret", signingSecret, (secret, url) => checkEndpoint({ url, secret })],
];

afterEach(() => void vi.unstubAllEnvs());

/** Calls a function; a TypeError is returned as its text. */
async function attempt(call: () => unknown): Promise<string> {
  try {
    await call();
    return "accepted";
  } catch (error) {
    return String(error);
  }
}

const refused = /^TypeError: (?:create\w+|checkEndpoint): .* is the sandbox's, which is public\. /;

describe.each([undefined, "development", "production"])(
  "L39: when NODE_ENV is %s, the secret that the sandbox publishes",
  (env) => {
    test.each(functions)("is refused by %s, unless the service is on this machine", async (_, published, call) => {
      vi.stubEnv("NODE_ENV", env);
      for (const secret of [published, ["another secret of at least 32 characters", published]] as never[]) {
        expect(await attempt(() => call(secret, undefined))).toMatch(refused);
        expect(await attempt(() => call(secret, elsewhere))).toMatch(refused);
        expect(await attempt(() => call(secret, here))).toBe("accepted");
      }
    });

    test.each(senders)("is sent by %s to this machine only", async (_, published, call) => {
      vi.stubEnv("NODE_ENV", env);
      expect(await attempt(() => call(published, here))).toBe("accepted");
      expect(await attempt(() => call(published, elsewhere))).toMatch(refused);
    });
  },
);

test.each(functions)("L39: a secret of the app is accepted by %s beside every service", async (_, published, call) => {
  const own = `the app's secret, unlike ${published}` as never;
  expect(await attempt(() => call(own, elsewhere))).toBe("accepted");
});

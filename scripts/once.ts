import { appCodes } from "@doorcode/core";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { createApp as createAppCodesApp } from "../examples/app-codes/app.ts";
import { createApp as createExpressApp } from "../examples/express-login/app.ts";
import { createApp as createFastifyApp } from "../examples/fastify-login/app.ts";
import { type Browser, openBrowser } from "../test/support/browser.ts";
import { Complaint } from "./ports.ts";
import { type RunningExample, serveExpress, serveFastify } from "./serve.ts";
import { expectStatus, tell } from "./steps.ts";

/** A framework with an owner of the code. Each logs in with a number of its own: one number has to wait between codes. */
interface Way {
  readonly title: string;
  readonly phone: string;
  serve(env: NodeJS.ProcessEnv, port: number): Promise<RunningExample>;
}

const ways: readonly Way[] = [
  {
    title: "Express, serviceCodes",
    phone: "+4915123456781",
    serve: (env, port) => serveExpress(createExpressApp(env), port),
  },
  {
    title: "Express, appCodes",
    phone: "+4915123456782",
    serve: (env, port) => serveExpress(createAppCodesApp(env), port),
  },
  {
    title: "Fastify, serviceCodes",
    phone: "+4915123456783",
    serve: (env, port) => serveFastify(createFastifyApp(env), port),
  },
  {
    title: "Fastify, appCodes",
    phone: "+4915123456784",
    serve: (env, port) => serveFastify(createFastifyApp(env, appCodes()), port),
  },
];

/**
 * Logs in by itself, on each framework and with either owner of the code, and prints every step with its status.
 *
 * @throws Complaint at the first step that does not answer as it must
 */
export async function logInEverywhere(port: number, sandboxPort: number): Promise<void> {
  const sandbox = await createSandbox({ port: sandboxPort });
  try {
    for (const way of ways) await logInOnce(way, sandbox, port);
  } finally {
    await sandbox.close();
  }
  process.stdout.write(`\n${ways.length} logins done.\n`);
}

async function logInOnce({ title, phone, serve }: Way, sandbox: Sandbox, port: number): Promise<void> {
  process.stdout.write(`\n${title}\n`);
  sandbox.reset();
  const example = await serve({ ...process.env, ...sandbox.env }, port);
  try {
    sandbox.deliverTo(`${example.url}/webhooks`);
    await walkThrough(openBrowser(example.url), sandbox, phone);
  } finally {
    await example.close();
  }
}

async function walkThrough(browser: Browser, sandbox: Sandbox, phone: string): Promise<void> {
  expectStatus("the account is closed", 401, await browser.get("/account"));
  expectStatus(`start a login for ${phone}`, 200, await browser.post("/login/start", { phone }));
  const message = await sandbox.inbox.wait({ to: phone });
  tell("read the code from the inbox", message.channel);
  expectStatus("confirm it", 200, await browser.post("/login/confirm", { code: message.code }));
  expectStatus("open the account", 200, await browser.get("/account"));
  await waitForWebhook(browser);
  const copy = browser.copy();
  expectStatus("log out", 200, await browser.post("/login/logout"));
  expectStatus("the account is closed", 401, await browser.get("/account"));
  expectStatus("also to a copy of the cookie", 401, await copy.get("/account"));
}

/** The account page lists what the webhook handler was called with. */
async function waitForWebhook(browser: Browser): Promise<void> {
  for (let look = 0; look < 50; look++) {
    const { text } = await browser.get("/account");
    if (text.includes("verification.update"))
      return tell("the signed webhook reached its handler", "verification.update");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Complaint("No webhook reached the handler within 5 seconds.");
}

import { styleText } from "node:util";
import { appCodes } from "@doorcode/core";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { createApp as createAppCodesApp } from "../examples/app-codes/app.ts";
import { createApp as createExpressApp } from "../examples/express-login/app.ts";
import { createApp as createFastifyApp } from "../examples/fastify-login/app.ts";
import { type Answer, type Browser, openBrowser } from "../test/support/browser.ts";
import { CliError, print } from "./cli-error.ts";
import { type RunningExample, serveExpress, serveFastify } from "./serve.ts";

type Serve = (env: NodeJS.ProcessEnv, port: number) => Promise<RunningExample>;

const variants: Readonly<Record<string, Serve>> = {
  "Express, serviceCodes": (env, port) => serveExpress(createExpressApp(env), port),
  "Express, appCodes": (env, port) => serveExpress(createAppCodesApp(env), port),
  "Fastify, serviceCodes": (env, port) => serveFastify(createFastifyApp(env), port),
  "Fastify, appCodes": (env, port) => serveFastify(createFastifyApp(env, { login: { codes: appCodes() } }), port),
};

/**
 * Logs in automatically with each framework and each code strategy, and prints every step with its status.
 *
 * @throws CliError at the first step with an unexpected status
 */
export async function logInEverywhere(port: number, sandboxPort: number): Promise<void> {
  const sandbox = await createSandbox({ port: sandboxPort });
  try {
    for (const [index, [title, serve]] of Object.entries(variants).entries()) {
      print(`\n${styleText("bold", title)}`);
      sandbox.reset();
      const example = await serve({ ...process.env, ...sandbox.env }, port);
      sandbox.deliverTo(`${example.url}/webhooks`);
      // Each has a phone number of its own, because a number has to wait between codes.
      await logInAndOut(openBrowser(example.url), sandbox, `+491512345678${index}`).finally(example.close);
    }
  } finally {
    await sandbox.close();
  }
  print(`\n${styleText("bold", `${Object.keys(variants).length} logins done.`)}`);
}

async function logInAndOut(browser: Browser, sandbox: Sandbox, phone: string): Promise<void> {
  expectStatus("open the account without a login", 401, await browser.get("/account"));
  expectStatus(`start a login for ${phone}`, 200, await browser.post("/login/start", { phone }));
  const message = await sandbox.inbox.wait({ to: phone });
  printStep("read the code from the inbox", message.channel);
  expectStatus("confirm the code", 200, await browser.post("/login/confirm", { code: message.code }));
  expectStatus("open the account", 200, await browser.get("/account"));
  await waitForWebhook(browser);
  const copy = browser.copy();
  expectStatus("log out", 200, await browser.post("/login/logout"));
  expectStatus("open the account again", 401, await browser.get("/account"));
  expectStatus("open it with a copy of the cookie", 401, await copy.get("/account"));
}

/** Waits until the account page lists a webhook, which means that the handler has been called. */
async function waitForWebhook(browser: Browser): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { text } = await browser.get("/account");
    if (text.includes("verification.update"))
      return printStep("the handler received the signed webhook", "verification.update");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw failed("the handler received the signed webhook", "nothing within 5 seconds, expected verification.update");
}

/** Prints a step and its status. @throws CliError for another status than the expected one */
export function expectStatus(step: string, expected: number, { status, text }: Answer): void {
  if (status !== expected) throw failed(step, `${status}, expected ${expected}: ${text.slice(0, 200)}`);
  printStep(step, String(status));
}

function printStep(step: string, outcome: string): void {
  print(`  ${styleText("green", "✓")} ${step.padEnd(42)} ${styleText("dim", outcome)}`);
}

/** Returns the error of a step, with what it was instead of what was expected. */
function failed(step: string, outcome: string): CliError {
  return new CliError(`  ${styleText("red", "✗", { stream: process.stderr })} ${step.padEnd(42)} ${outcome}`);
}

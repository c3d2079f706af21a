import { mkdirSync } from "node:fs";
import { styleText } from "node:util";
import { build } from "./build.ts";
import { CliError, print, runScript } from "./cli-error.ts";

/*
 * `npm start`: the sandbox and an example, until Ctrl-C. With `-- --once` logins on both frameworks instead; with `-- --demo` an app with
 * people in it; with `-- cluster` the app in two processes.
 */

await runScript(async () => {
  const words = process.argv.slice(2);
  const [mode = "example", more] = words;
  if (!["example", "--once", "--demo", "cluster"].includes(mode) || more !== undefined) {
    throw new CliError(
      `${words.join(" ")} is not an option. Use npm start alone, or with -- --once, -- --demo or -- cluster.`,
    );
  }
  const port = readPort("PORT", 3000);
  const sandboxPort = readPort("SANDBOX_PORT", 4010);
  build();
  if (mode === "cluster") return (await import("./cluster.ts")).runCluster(port, sandboxPort, interrupted);
  if (mode === "--once") return (await import("./once.ts")).logInEverywhere(port, sandboxPort);
  if (mode === "--demo") return (await import("./demo.ts")).runDemo(port, sandboxPort, interrupted);
  return runExample(port, sandboxPort);
});

/** Reads a port from the environment. Port 0 means any free port. */
function readPort(variable: string, defaultPort: number): number {
  const text = process.env[variable] ?? String(defaultPort);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CliError(`${variable} must be a port from 0 to 65535.`);
}

async function runExample(port: number, sandboxPort: number): Promise<void> {
  const { createSandbox } = await import("@doorcode/sandbox");
  const { createApp } = await import("../examples/account/app.ts");
  const { serveExpress } = await import("./serve.ts");

  // Apps of other ports may run beside this one. Any free port is another one each time, so nothing is kept.
  const folder = port === 0 ? undefined : `.doorcode/start-${port}`;
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const sandbox = await createSandbox({ port: sandboxPort, ...(folder && { data: `${folder}/sandbox.sqlite` }) });
  const inbox = sandbox.url.replace("127.0.0.1", "localhost");
  try {
    const onEvent = sandbox.decisions.receive;
    const app = createApp({ ...process.env, ...sandbox.env }, { onEvent, ...(folder && { folder }) });
    const example = await serveExpress(app, port);
    sandbox.deliverTo(`${example.url}/webhooks`);
    const link = (url: string) => styleText("cyan", url);
    print(`
  ${styleText("bold", "The example")}   ${link(example.url)}
  ${styleText("bold", "The sandbox")}   ${link(inbox)}
  ${styleText("bold", "Operations")}    ${link(`${example.url}/operations`)}, for those who run the app

  1. Open ${link(example.url)} and type a German mobile number, such as +49 151 23456789. The page speaks your browser's language.
  2. Copy the code at ${link(inbox)}. No message leaves this machine. The view Limits shows why the code was sent.
  3. Paste the code: it is sent by itself. Press Ctrl-C to stop both.
${folder === undefined ? "" : `  4. Stop them in the middle of a login, start them again, and go on: ${folder} has all that they know.\n`}`);
    await interrupted();
    await example.close();
  } finally {
    await sandbox.close();
  }
}

/**
 * Resolves at Ctrl-C, and when the parent process has ended. The signal arrives twice, from the terminal and from the parent process. The
 * second one must not interrupt the shutdown.
 */
function interrupted(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || resolve(), 250).unref();
  return promise;
}

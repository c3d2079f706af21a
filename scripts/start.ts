import { build } from "./build.ts";
import { CliError, cliErrorOf } from "./cli-error.ts";
import { readPort } from "./ports.ts";

/** Starts the sandbox and an example, and runs them until Ctrl-C. */
async function runUntilInterrupted(port: number, sandboxPort: number): Promise<void> {
  const { createSandbox } = await import("@doorcode/sandbox");
  const { createApp } = await import("../examples/account/app.ts");
  const { serveExpress } = await import("./serve.ts");

  const sandbox = await createSandbox({ port: sandboxPort });
  const inbox = sandbox.url.replace("127.0.0.1", "localhost");
  try {
    const example = await serveExpress(createApp({ ...process.env, ...sandbox.env }), port);
    sandbox.deliverTo(`${example.url}/webhooks`);
    process.stdout.write(
      [
        "",
        `  The example   ${example.url}`,
        `  The sandbox   ${inbox}`,
        "",
        `  1. Open ${example.url} and type a German mobile number, such as +49 151 23456789.`,
        `  2. Read the code at ${inbox}. No message leaves this machine.`,
        "  3. Type the code in. Press Ctrl-C to stop both.",
        "",
        "",
      ].join("\n"),
    );
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

const knownArguments = ["cluster", "--once"];

try {
  const unknown = process.argv.slice(2).find((argument) => !knownArguments.includes(argument));
  if (unknown !== undefined) {
    throw new CliError(
      `${unknown} is not an option. Use npm start alone, or with -- --once, -- cluster or -- cluster --once.`,
    );
  }
  const port = readPort("PORT", 3000);
  const sandboxPort = readPort("SANDBOX_PORT", 4010);
  build();
  const isOnce = process.argv.includes("--once");
  if (process.argv.includes("cluster")) {
    const { runCluster, demonstrateCluster } = await import("./cluster.ts");
    await (isOnce ? demonstrateCluster(port, sandboxPort) : runCluster(port, sandboxPort, interrupted));
  } else if (isOnce) {
    const { logInEverywhere } = await import("./once.ts");
    await logInEverywhere(port, sandboxPort);
  } else {
    await runUntilInterrupted(port, sandboxPort);
  }
} catch (error) {
  const cliError = cliErrorOf(error);
  if (!cliError) throw error;
  process.stderr.write(`${cliError.message}\n`);
  process.exitCode = 1;
}

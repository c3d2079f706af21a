/** An error that a script prints as a sentence, without a stack. */
export class CliError extends Error {}

/** Runs a script. A {@link CliError}, and a port or a data file that cannot be used, become one line on stderr and exit code 1. */
export async function runScript(script: () => void | Promise<void>): Promise<void> {
  try {
    await script();
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exitCode = 1;
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  if (!(error instanceof Error) || !("code" in error)) throw error;
  if (error.code === "port_taken") return `${error.message} Choose another one with SANDBOX_PORT.`;
  // A second `npm start` meets the data file of the first one before its ports.
  if (error.code === "data_file_taken")
    return "npm start runs already with this PORT. Stop it, or choose another PORT, such as PORT=3001 npm start.";
  if (error.code === "data_file_unusable") return error.message;
  if (error.code !== "EADDRINUSE") throw error;
  const port = "port" in error ? ` ${error.port}` : "";
  return `Port${port} is already in use. Choose another one with PORT, such as PORT=3001 npm start.`;
}

/** Prints a line. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

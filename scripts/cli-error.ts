/** An error that a script prints as a sentence, without a stack. */
export class CliError extends Error {}

/** Returns an error as a CLI error if it is one, or if a port is in use; `undefined` for any other error. */
export function cliErrorOf(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code === "port_taken") return new CliError(`${error.message} Choose another one with SANDBOX_PORT.`);
  if (error.code !== "EADDRINUSE") return undefined;
  const port = "port" in error ? ` ${error.port}` : "";
  return new CliError(`Port${port} is already in use. Choose another one with PORT, such as PORT=3001 npm start.`);
}

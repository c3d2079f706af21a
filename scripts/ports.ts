import { CliError } from "./cli-error.ts";

/**
 * Reads a port from the environment. Port 0 means any free port.
 *
 * @throws CliError for a text that is not a port
 */
export function readPort(variable: string, defaultPort: number): number {
  const text = process.env[variable] ?? String(defaultPort);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new CliError(`${variable} must be a port from 0 to 65535.`);
}

/** Reads a port from the environment; 0 takes any that is free. */
export function readPort(variable: string, otherwise: number): number {
  const text = process.env[variable] ?? String(otherwise);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Complaint(`${variable} must be a port from 0 to 65535.`);
}

/** What a person at the terminal is told in place of a stack. */
export class Complaint extends Error {}

/** Turns a taken port into a sentence; anything else stays what it is. */
export function complaintOf(error: unknown): Complaint | undefined {
  if (error instanceof Complaint) return error;
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code === "port_taken") return new Complaint(`${error.message} Choose another one with SANDBOX_PORT.`);
  if (error.code !== "EADDRINUSE") return undefined;
  const port = "port" in error ? ` ${error.port}` : "";
  return new Complaint(`Port${port} is taken. Choose another one with PORT, such as PORT=3001 npm start.`);
}

import type { Sandbox } from "../../src/index.ts";

/** An answer of the control API. */
export interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for an empty answer. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Sends a request below `/_sandbox` in this process and returns the JSON answer. */
export async function control(
  sandbox: Pick<Sandbox, "url" | "fetch">,
  method: string,
  path: string,
  body?: unknown,
): Promise<ControlAnswer> {
  const init =
    body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await sandbox.fetch(new Request(`${sandbox.url}/_sandbox${path}`, { method, ...init }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

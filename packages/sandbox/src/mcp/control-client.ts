/** A client of the control API of a sandbox, in this process or in another one. */
export interface ControlClient {
  /** The URL of the sandbox. */
  readonly url: string;
  /**
   * Returns the function that sends a request about an application, and returns the JSON of the answer.
   *
   * @param application - the id; undefined for the default application.
   * @param signal - ends the request.
   */
  of(
    application: string | undefined,
    signal: AbortSignal,
  ): (method: string, path: string, body?: unknown) => Promise<unknown>;
}

/**
 * Creates a client of the control API.
 *
 * @param send - sends a request to the sandbox: `fetch`, or the function of the same name of a sandbox in this process.
 * @param token - the token of the sandbox, if it has one.
 */
export function createControlClient(
  url: string,
  send: (request: Request) => Response | Promise<Response>,
  token: string | undefined,
): ControlClient {
  return {
    url,
    of: (application, signal) => async (method, path, body) => {
      const prefix = application === undefined ? "" : `/applications/${encodeURIComponent(application)}`;
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      };
      const init = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await reach(url, async () => send(new Request(`${url}/_sandbox${prefix}${path}`, init)));
      const answer = await response.json();
      if (!response.ok) throw new Error([answer.field, answer.error_message].filter(Boolean).join(": "));
      return answer;
    },
  };
}

async function reach(url: string, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    throw new Error(`There is no sandbox at ${url}. Start it with: npx doorcode-sandbox.`, { cause });
  }
}

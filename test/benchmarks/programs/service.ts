import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The service, as far as it sends codes of an app. It answers at once. */
export interface Service {
  readonly url: string;
  /** Returns the last code that was sent to a number. A login that goes on is sent none. */
  lastCodeOf(phone: string): string;
  /** Answers with 503 from now on, or no longer. */
  fail(isDown: boolean): void;
  close(): Promise<void>;
}

/** Starts the service on a free port of the loopback. */
export async function startService(): Promise<Service> {
  const codes = new Map<string, string>();
  let isDown = false;
  const server = createServer(async (request, response) => {
    if (isDown) return void response.writeHead(503).end();
    const { recipient, custom_otp } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    codes.set(recipient, custom_otp);
    const answer = { request_id: "req_1", verification_id: `ver_${recipient}`, error_code: "", error_message: "" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    lastCodeOf(phone) {
      const code = codes.get(phone);
      if (code === undefined) throw new Error(`No code was sent to ${phone}.`);
      return code;
    },
    fail(nowDown) {
      isDown = nowDown;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

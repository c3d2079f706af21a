import { createServer } from "node:https";
import tls from "node:tls";
import { expect, onTestFinished } from "vitest";
import { createCertificates, type Identity } from "../../../packages/sandbox/test/support/certificates.ts";
import { listen } from "../../support/listen.ts";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { phone, send, startSandbox } from "../support/sandbox.ts";

/** "Receiver contract". */
export function showReceiverContract({ sandbox }: Show): void {
  sandbox("events.receiver.1", async () => {
    const { selfSigned, signed, authority } = await createCertificates();
    const trusted = tls.getCACertificates("default");
    tls.setDefaultCACertificates([...trusted, authority]);
    onTestFinished(() => tls.setDefaultCACertificates(trusted));
    const running = await startSandbox({ behaviours: { [phone]: "never_delivered" } });
    const right = await serveTls(signed);
    for (const target of [await serveTls(selfSigned), right, right.replace("localhost", "127.0.0.1")]) {
      running.endpoints.add({ target });
    }
    await send(running);
    await running.clock.advance("1s");
    expect(
      running.deliveries.list().map(({ status, attempts }) => [status, attempts[0]?.error, attempts[0]?.status]),
    ).toEqual([
      ["pending", "bad_certificate", undefined],
      ["delivered", undefined, 204],
      // A certificate of another name.
      ["pending", "bad_certificate", undefined],
    ]);
  });

  sandbox("events.receiver.2", async () => {
    const { arrivals } = await answeredWith([204]);
    expect(arrivals.map(({ method, headers }) => [method, headers["content-type"]])).toEqual([
      ["POST", "application/json"],
    ]);
  });

  sandbox("events.receiver.3", async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      expect(await answeredWith([status])).toMatchObject({ arrivals: { length: 1 }, status: "delivered" });
    }
    for (const answer of [300, 304, 400, 401, 404, 429, 500, 503, "silent"] as const) {
      expect(await answeredWith([answer, 204])).toMatchObject({ arrivals: { length: 2 }, status: "delivered" });
    }
  });
}

/** What becomes of one event whose attempts are answered like that, within a minute of the service's clock. */
async function answeredWith(answers: readonly (number | "silent")[]) {
  const settings = { webhookTimeoutMilliseconds: answers.includes("silent") ? 50 : 5_000 };
  const running = await startSandbox({ behaviours: { [phone]: "never_delivered" }, settings });
  const receiver = await startReceiver(...answers);
  running.deliverTo(receiver.url);
  await send(running);
  await running.clock.advance("1m");
  return { arrivals: receiver.arrivals, status: running.deliveries.list()[0]?.status };
}

async function serveTls(identity: Identity): Promise<string> {
  const server = createServer(identity, (_request, response) => response.writeHead(204).end());
  const { port, close } = await listen(server);
  onTestFinished(close);
  return `https://localhost:${port}/webhooks`;
}

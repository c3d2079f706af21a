import { once } from "node:events";
import { Agent, request as requestHttp } from "node:http";
import type { FetchHandler } from "@doorcode/sandbox";
import { type Counter, createCounter } from "./counter.ts";
import type { Dice } from "./dice.ts";

/** What lies between the service and the processes of the app: a proxy that spreads deliveries over those that are up. */
export interface Wire {
  /** The endpoint of the service. */
  readonly deliver: FetchHandler;
  /** Events that were acknowledged to the service, each once. */
  readonly acknowledged: Counter;
  /** Deliveries that were answered 5xx, or met a process that ended. */
  readonly refused: Counter;
  /** Bodies that the service cut off in the middle. */
  readonly cut: Counter;
  /** Answers that came after the service had stopped waiting, and answers that never came, though the app had done its work. */
  readonly late: Counter;
  readonly lost: Counter;
  close(): void;
}

/** The shares of events whose first answer is late, or lost. */
const [lateShare, lostShare] = [0.0006, 0.005];

/** Lays a wire to the ports of the processes. */
export function layWire(ports: readonly number[], dice: Dice): Wire {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const counters = {
    acknowledged: createCounter(),
    refused: createCounter(),
    cut: createCounter(),
    late: createCounter(),
    lost: createCounter(),
  };
  /** By name, in the order in which they were first answered: whether the service knows. */
  const answered = new Map<string, boolean>();
  let turn = 0;

  /** Asks one process after the other while they refuse the connection; any other failure is the delivery's. */
  async function pass(delivery: Delivery): Promise<number> {
    const first = turn++;
    for (let next = 0; next < ports.length; next++) {
      const port = ports[(first + next) % ports.length] ?? 0;
      const status = await post(port, delivery, agent).catch((error: unknown) => codeOf(error));
      if (typeof status === "number") return status;
      if (status !== "ECONNREFUSED") break;
    }
    return 502;
  }

  /** The answer is on its way back, and may come to harm once. */
  async function passBack(name: string, signal: AbortSignal): Promise<void> {
    if (!answered.has(name)) {
      const number = answered.size;
      answered.set(name, false);
      if (dice.roll("late", number) < lateShare) {
        counters.late.add();
        await once(signal, "abort");
        throw new Error("The answer is late.");
      }
      if (dice.roll("lost", number) < lostShare) {
        counters.lost.add();
        throw new Error("The answer is lost.");
      }
    }
    if (!answered.get(name)) counters.acknowledged.add();
    answered.set(name, true);
  }

  return {
    ...counters,
    async deliver(request) {
      const delivery = await readDelivery(request);
      if (delivery.isCut) counters.cut.add();
      const status = await pass(delivery);
      if (status >= 500 && !delivery.isCut) counters.refused.add();
      if (status < 300) await passBack(nameOf(delivery.body), request.signal);
      return new Response(null, { status });
    },
    close: () => agent.destroy(),
  };
}

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  /** What of it came. */
  readonly body: Buffer;
  /** The service's connection ended in the middle of the body. */
  readonly isCut: boolean;
}

async function readDelivery(request: Request): Promise<Delivery> {
  const headers = Object.fromEntries([...request.headers].filter(([name]) => name !== "connection"));
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of request.body ?? []) chunks.push(chunk);
    return { headers, body: Buffer.concat(chunks), isCut: false };
  } catch {
    return { headers, body: Buffer.concat(chunks), isCut: true };
  }
}

/** Posts to one process. A body that was cut is passed on as far as it came, and then the connection ends here, too. */
function post(port: number, { headers, body, isCut }: Delivery, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const announced = isCut ? body.byteLength * 2 : body.byteLength;
  const outgoing = requestHttp({
    ...{ port, host: "127.0.0.1", path: "/webhooks", method: "POST", agent },
    headers: { ...headers, "content-length": announced },
  });
  outgoing.on("error", reject);
  outgoing.on("response", (response) => {
    response.on("error", reject).on("end", () => resolve(response.statusCode ?? 0));
    response.resume();
  });
  if (isCut) outgoing.write(body, () => outgoing.destroy());
  else outgoing.end(body);
  return promise;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** One name for an event in all of its deliveries: nothing happens twice to one thing at one instant. */
function nameOf(body: Buffer): string {
  const { data } = JSON.parse(body.toString());
  return `${data.message_id ?? data.verification_id} ${data.status_updated_at ?? data.updated_at}`;
}

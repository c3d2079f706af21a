import { once } from "node:events";
import { Agent, request as requestHttp } from "node:http";
import type { FetchHandler } from "@doorcode/sandbox";
import { type CountLatch, createLatch } from "./latch.ts";
import type { ChaosPlan } from "./plan.ts";
import { monotonicNow } from "./process-log.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A load balancer between the service and the processes of the app. It harms some answers on their way back. */
export interface LoadBalancer {
  /** The endpoint of the service. */
  readonly deliver: FetchHandler;
  /** When each event first came whole, by its name: its handler cannot begin before. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** Events that were acknowledged to the service, each once. */
  readonly acknowledged: CountLatch;
  /** Deliveries that were answered 5xx, or reached a process that ended. */
  readonly refused: CountLatch;
  /** Bodies that the service cut off in the middle. */
  readonly cut: CountLatch;
  /** Answers that came after the service had stopped waiting. */
  readonly late: CountLatch;
  /** Answers that never came, although the app had done its work. */
  readonly lost: CountLatch;
  close(): void;
}

/** Creates a load balancer in front of the ports of the processes. */
export function createLoadBalancer(
  ports: readonly number[],
  { lateShare, lostShare }: ChaosPlan,
  random: SeededRandom,
): LoadBalancer {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const counters = {
    acknowledged: createLatch(),
    refused: createLatch(),
    cut: createLatch(),
    late: createLatch(),
    lost: createLatch(),
  };
  /** The events by name, in the order of their first answer, and whether the service received one. */
  const answered = new Map<string, boolean>();
  const arrivals = new Map<string, number>();
  let turn = 0;

  /** Tries one process after the other while they refuse the connection. Any other failure fails the delivery. */
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

  function noteArrival(name: string): void {
    if (!arrivals.has(name)) arrivals.set(name, monotonicNow());
  }

  /** Passes an answer back, or harms it: at most once for each event. */
  async function passBack(name: string, signal: AbortSignal): Promise<void> {
    if (!answered.has(name)) {
      const number = answered.size;
      answered.set(name, false);
      if (random.fraction("late", number) < lateShare) {
        counters.late.add();
        await once(signal, "abort");
        throw new Error("The answer is late.");
      }
      if (random.fraction("lost", number) < lostShare) {
        counters.lost.add();
        throw new Error("The answer is lost.");
      }
    }
    if (!answered.get(name)) counters.acknowledged.add();
    answered.set(name, true);
  }

  return {
    ...counters,
    arrivals,
    async deliver(request) {
      const delivery = await readDelivery(request);
      if (!delivery.isCut) noteArrival(nameOf(delivery.body));
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
  /** The part of the body that arrived. */
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

/** Posts to one process. A body that was cut off is passed on up to the cut, and then the connection ends here, too. */
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

/** Names an event, the same in all of its deliveries: no two events of one thing share an instant. */
function nameOf(body: Buffer): string {
  const { data } = JSON.parse(body.toString());
  return `${data.message_id ?? data.verification_id} ${data.status_updated_at ?? data.updated_at}`;
}

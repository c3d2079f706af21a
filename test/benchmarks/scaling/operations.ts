import { get } from "node:http";
import { requestOf, sendAll } from "../measure/load.ts";
import { origin, Visitor } from "../measure/visitor.ts";
import { createDelivery, headersOf } from "../programs/deliveries.ts";
import type { Service } from "../programs/service.ts";

/** A person in the middle of a login. */
interface Person {
  readonly mount: string;
  readonly phone: string;
  readonly visitor: Visitor;
}

/** The people who log in: of a whole country, or of one block of a million numbers, whose counters all of them share. */
export type Crowd = "country" | "wide block";

/** The load on an app, one kind of operation after the other: each goes on where the one before it has stopped. */
export interface Load {
  start(count: number, crowd?: Crowd): Promise<void>;
  state(count: number): Promise<void>;
  /** Completes the logins that were started. */
  confirm(): Promise<void>;
  guarded(count: number): Promise<void>;
  /** Delivers events of 1 KB to a path. */
  deliver(path: string, count: number): Promise<void>;
  /** Has the page of each login that was started wait for a change that does not come. */
  wait(seconds: number): Promise<void>;
}

/** The limits of the second mount only observe: a new block in which so many people log in is closed. */
const mounts: Readonly<Record<Crowd, string>> = { country: "/login", "wide block": "/crowd" };

const prefixes = ["151", "152", "157", "159"];
let phones = 0;

/** The number of a person. Three hundred and sixty wide blocks have some of them each, as the numbers of a country have. */
function nextPhone(crowd: Crowd): string {
  const index = phones++;
  if (crowd === "wide block") return `+4917010${String((index * 7919) % 1_000_000).padStart(6, "0")}`;
  const prefix = prefixes[index % prefixes.length];
  return `+49${prefix}${String(10_000_000 + ((index * 7_654_321) % 90_000_000))}`;
}

/** Creates the load of an app on this port, whose codes the service sends. */
export function createLoad(port: number, service: Service): Load {
  let people: readonly Person[] = [];

  const requests = (path: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const { visitor } = people[index % people.length] ?? { visitor: new Visitor(port) };
      const headers = { host: new URL(origin).host, "sec-fetch-site": "same-origin", cookie: visitor.cookie };
      return { bytes: requestOf("GET", path, headers), status: 200 };
    });

  return {
    async start(count, crowd = "country") {
      const mount = mounts[crowd];
      people = Array.from({ length: count }, () => ({ mount, phone: nextPhone(crowd), visitor: new Visitor(port) }));
      await Promise.all(people.map(({ phone, visitor }) => visitor.post(`${mount}/start`, { phone })));
    },
    state: (count) => sendAll(port, requests("/login/state", count)),
    async confirm() {
      await Promise.all(
        people.map(({ mount, phone, visitor }) =>
          visitor.post(`${mount}/confirm`, { code: service.lastCodeOf(phone) }),
        ),
      );
    },
    guarded: (count) => sendAll(port, requests("/account", count)),
    async deliver(path, count) {
      const deliveries = Array.from({ length: count }, () => createDelivery(1024));
      const all = deliveries.map((delivery) => requestOf("POST", path, headersOf(delivery), delivery.body));
      await sendAll(
        port,
        all.map((bytes) => ({ bytes, status: 204 })),
      );
    },
    async wait(seconds) {
      await Promise.all(people.map(({ visitor }) => waitForChange(port, visitor.cookie, seconds)));
    },
  };
}

async function waitForChange(port: number, cookie: string, seconds: number): Promise<void> {
  const { version } = JSON.parse(await read(port, "/login/state", cookie));
  await read(port, `/login/state?after=${encodeURIComponent(version)}&waitSeconds=${seconds}`, cookie);
}

function read(port: number, path: string, cookie: string): Promise<string> {
  const headers = { host: new URL(origin).host, "sec-fetch-site": "same-origin", cookie };
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      if (answer.statusCode === 200) resolve(text);
      else reject(new Error(`${path} answered ${answer.statusCode}: ${text}`));
    }).once("error", reject);
  });
}

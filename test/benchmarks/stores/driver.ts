import { type CodeStrategyFactory, createDoorcode } from "@doorcode/core";
import { createLoginGuard, type HttpResponse, mountLogin } from "@doorcode/core/adapter";
import type { Store } from "@doorcode/core/store";
import { origin } from "../measure/visitor.ts";

/** A browser: its cookies as a request carries them. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  /** An address of its own, so that people do not wait for the counters of each other's. */
  readonly address: string;
}

/** The requests of a login, as an adapter calls the kit: without HTTP and without a service, so that only the kit and its store are measured. */
export interface Driver {
  visitor(): Visitor;
  start(visitor: Visitor): Promise<void>;
  confirmWrong(visitor: Visitor): Promise<void>;
  confirm(visitor: Visitor): Promise<void>;
  state(visitor: Visitor): Promise<void>;
  guarded(visitor: Visitor): Promise<void>;
}

const right = "246810";

/** The service's codes, with a service that answers at once. */
const codes: CodeStrategyFactory = () => {
  let sent = 0;
  return {
    digits: { min: 6, max: 6 },
    lifetimeSeconds: 600,
    channels: ["SMS"],
    answersOnce: true,
    repeatsCodes: false,
    sendsMessages: false,
    lengthensCodes: () => false,
    send: async () => ({ verificationId: `verification_${sent++}` }),
    check: async (code) => (code === right ? "right" : "wrong"),
  };
};

let phones = 0;
let addresses = 0;

/** A number of a block that few others are of: people do not come in the order of their numbers. */
function nextPhone(): string {
  return `+49151${20_000_000 + ((phones++ * 7_654_321) % 10_000_000)}`;
}

function nextAddress(): string {
  const index = addresses++ * 257;
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}

/** Sets up an app on a store; every start of it is for a number of its own. */
export function createDriver(store: Store): Driver {
  const doorcode = createDoorcode({
    store,
    name: "benchmark",
    origins: [origin],
    service: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "key_of_the_benchmark" },
    session: { password: "a password of the benchmark, long enough" },
    login: {
      countries: ["DE"],
      codes,
      onLogin: ({ loginId }) => loginId,
      // As long as the transaction, so that all that a login leaves is there while it is counted.
      limits: { cooldownSeconds: 600 },
    },
  });
  const mount = mountLogin(doorcode);
  const guard = createLoginGuard(doorcode);
  const closed = new AbortController().signal;

  async function ask(method: string, path: string, visitor: Visitor, body: object, status: number): Promise<void> {
    const { cookies, address } = visitor;
    const answer = await mount.handle(
      {
        method,
        basePath: "/login",
        path,
        query: "",
        headers: {
          host: new URL(origin).host,
          "content-type": "application/json",
          "sec-fetch-site": "same-origin",
          cookie: textOf(cookies),
        },
        remoteAddress: address,
        closed,
        readBody: async () => ({ parsed: body }),
      },
      undefined,
    );
    if (answer?.status !== status) throw new Error(`${path} answered ${answer?.status}: ${answer?.body}`);
    keep(cookies, answer);
  }

  return {
    visitor: () => ({ cookies: new Map(), address: nextAddress() }),
    start: (visitor) => ask("POST", "/start", visitor, { phone: nextPhone() }, 200),
    confirmWrong: (visitor) => ask("POST", "/confirm", visitor, { code: "000000" }, 400),
    confirm: (visitor) => ask("POST", "/confirm", visitor, { code: right }, 200),
    state: (visitor) => ask("GET", "/state", visitor, {}, 200),
    async guarded({ cookies }) {
      const admission = await guard({
        method: "GET",
        path: "/",
        query: "",
        headers: { host: new URL(origin).host, cookie: textOf(cookies) },
      });
      if ("refusal" in admission) throw new Error("The guard refused.");
    },
  };
}

function textOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

function keep(cookies: Map<string, string>, { cookies: written }: HttpResponse): void {
  for (const cookie of written) {
    const [pair = ""] = cookie.split(";");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }
}

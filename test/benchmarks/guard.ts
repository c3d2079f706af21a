import { requestOf, sendAll } from "./measure/load.ts";
import { measureRow, withPeers } from "./measure/run.ts";
import { startServer } from "./measure/server-subject.ts";
import type { Role, StartSubject } from "./measure/subject.ts";
import { origin, Visitor } from "./measure/visitor.ts";
import { guardCode, guarded } from "./programs/guard-kit.ts";
import { phoneOf } from "./programs/people.ts";

/**
 * What it costs to know who sends a request. Every route gets the requests of people who are logged in, as a browser sends them, and the
 * route without a guard stands in the same app.
 */
const browserHeaders = {
  host: new URL(origin).host,
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  accept: "application/json",
  "accept-language": "de-DE,de;q=0.9,en;q=0.8",
  "accept-encoding": "gzip, deflate, br",
  referer: `${origin}/account`,
  "sec-fetch-dest": "empty",
  "sec-fetch-mode": "cors",
  "sec-fetch-site": "same-origin",
  "x-forwarded-for": "10.0.0.1",
  "x-forwarded-proto": "https",
};

/** How a person logs in, before anything is measured. */
type LogIn = (visitor: Visitor, phone: string) => Promise<void>;

async function logInToKit(visitor: Visitor, phone: string): Promise<void> {
  await visitor.post("/login/start", { phone });
  await visitor.post("/login/confirm", { code: guardCode });
}

async function logInToBetterAuth(visitor: Visitor, phoneNumber: string): Promise<void> {
  await visitor.post("/api/auth/phone-number/send-otp", { phoneNumber });
  await visitor.post("/api/auth/phone-number/verify", { phoneNumber, code: guardCode });
}

function start(name: string, role: Role, program: string, word: string, logIn: LogIn): StartSubject {
  const requestsOf = new Map<number, readonly Buffer[]>();
  async function prepare(port: number, operations: number): Promise<() => Promise<void>> {
    const prepared = requestsOf.get(port) ?? (await createRequests(port, logIn));
    requestsOf.set(port, prepared);
    const load = Array.from({ length: operations }, (_, index) => ({
      bytes: prepared[index % prepared.length] ?? Buffer.alloc(0),
      status: 200,
    }));
    return () => sendAll(port, load);
  }
  return (checkout) => startServer({ name, role, program, words: [word], checkout, prepare });
}

async function createRequests(port: number, logIn: LogIn): Promise<readonly Buffer[]> {
  const requests: Buffer[] = [];
  for (let session = 0; session < guarded; session++) {
    const visitor = new Visitor(port);
    await logIn(visitor, phoneOf(session));
    requests.push(requestOf("GET", "/account", { ...browserHeaders, cookie: visitor.cookie }));
  }
  return requests;
}

for (const framework of ["Express", "Fastify"] as const) {
  const file = `guard-${framework.toLowerCase()}.ts`;
  await measureRow(`guard on ${framework}`, [
    start("without a guard", "limit", `programs/${file}`, "open", logInToKit),
    start("without a guard, again", "noise", `programs/${file}`, "open", logInToKit),
    start("a hook that looks a session up", "reference", `programs/${file}`, "session", logInToKit),
    start("requireLogin", "doorcode", `programs/${file}`, "guarded", logInToKit),
    ...(withPeers ? [start("better-auth getSession", "peer", `peers/${file}`, "", logInToBetterAuth)] : []),
  ]);
}

import { measureRow, withPeers } from "./measure/run.ts";
import { startServer } from "./measure/server-subject.ts";
import type { Role, StartSubject } from "./measure/subject.ts";
import { Visitor } from "./measure/visitor.ts";
import { phoneOf } from "./programs/people.ts";
import { startService } from "./programs/service.ts";

/** What a login costs, from the phone number to the session. Each is of another person, and the same service sends the codes of all. */
const people = 10_000;
/** Nobody logs in twice within the minute that a number waits for its next code, however fast the machine is. */
const manyPeople = 100_000;
const atOnce = 8;
const service = await startService();

async function logIn(visitor: Visitor, phone: string): Promise<void> {
  await visitor.post("/login/start", { phone });
  await visitor.post("/login/confirm", { code: service.lastCodeOf(phone) });
}

async function logInToBetterAuth(visitor: Visitor, phoneNumber: string): Promise<void> {
  await visitor.post("/api/auth/phone-number/send-otp", { phoneNumber });
  await visitor.post("/api/auth/phone-number/verify", { phoneNumber, code: service.lastCodeOf(phoneNumber) });
}

function start(name: string, role: Role, program: string, run = logIn, users = manyPeople): StartSubject {
  let next = 0;
  async function prepare(port: number, operations: number): Promise<() => Promise<void>> {
    let left = operations;
    const logInOthers = async () => {
      while (left-- > 0) await run(new Visitor(port), phoneOf(next++ % users));
    };
    return async () => void (await Promise.all(Array.from({ length: atOnce }, logInOthers)));
  }
  const words = [service.url, String(users)];
  return (checkout) => startServer({ name, role, program, words, checkout, prepare });
}

try {
  const kit = start("phoneLogin, appCodes", "doorcode", "programs/login-kit.ts");
  const bare = [
    start("bare", "limit", "peers/login-bare.ts"),
    start("bare again", "noise", "peers/login-bare.ts"),
    start("better-auth, 10,000 users", "peer", "peers/login-better-auth.ts", logInToBetterAuth, people),
  ];
  const size = { warmUpCpuMilliseconds: 2000, sampleCpuMilliseconds: 200 };
  // The bare app needs iron-session and undici, which are installed with the other libraries.
  await measureRow("login", withPeers ? [...bare, kit] : [kit], size);
} finally {
  await service.close();
}

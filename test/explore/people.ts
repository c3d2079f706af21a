import { statuses } from "./app.ts";
import { phone, type Sending, user, type World } from "./world.ts";

/** A person types a number. */
export const start = (browser = "browser", process = "A"): Sending => ({
  ...{ name: `start in ${browser}`, browser, process, path: "/login/start", body: { phone } },
});
/** A person types a code. */
export const confirm = (code: string, name: string, process = "A", browser = "browser"): Sending => ({
  ...{ name, browser, process, path: "/login/confirm", body: { code } },
});
export const resend = (name: string, process: string): Sending => ({ name, process, path: "/login/resend", body: {} });
export const logout = (process: string): Sending => ({ name: "logout", process, path: "/login/logout", body: {} });
export const guard = (name: string, process: string, browser: string): Sending => ({
  ...{ name, process, browser, path: "/account" },
});
/** A user removes the number of all logins from the account. */
export const remove = (name: string, process: string): Sending => ({
  ...{ name, process, browser: "owner", path: "/link/remove", body: { phone } },
});
/** A code that the service never sends. */
export const wrong = "999999";

/** Starts a login, and lets the pause before another code pass. */
export async function started(world: World, browser?: string): Promise<void> {
  await world.do(start(browser));
  await world.scheduler.pass(31);
}

/** Starts a login, and tries wrong codes. */
export async function afterWrongCodes(world: World, count: number): Promise<void> {
  await started(world);
  for (const pauseSeconds of [1, 1, 61, 121].slice(0, count)) {
    await world.do(confirm(wrong, "earlier wrong code"));
    await world.scheduler.pass(pauseSeconds);
  }
}

/** Starts a login and completes it. */
export async function loggedIn(world: World, browser?: string): Promise<void> {
  await started(world, browser);
  await world.do(confirm(world.code(), "earlier login", "A", browser));
  await world.scheduler.pass(1);
}

/** Returns the newest code that a browser was sent. */
export function codeOf({ history, service }: World, browser: string): string | undefined {
  const index = history.sentCodes.findLastIndex(({ request }) => request.browser === browser);
  return service.verifications[index]?.code;
}

function isLoggedIn({ history }: World, browser: string): boolean {
  return history.requests.some((sent) => sent.browser === browser && sent.answer?.code === "logged_in");
}

/** A person types codes until one logs in, and waits as the refusals say. */
async function typeAgain(world: World, browser: string, codes: readonly (string | undefined)[]): Promise<void> {
  for (const code of new Set(codes)) {
    for (let tries = 0; code !== undefined && tries < 8 && !isLoggedIn(world, browser); tries++) {
      const { answer } = await world.do(confirm(code, "the same code again", "A", browser));
      if (!answer?.retryAfterSeconds) break;
      await world.scheduler.pass(Math.min(answer.retryAfterSeconds, 130));
    }
  }
}

/** A person whose login has ended begins another one, a day later. */
async function beginAgain(world: World, browser: string): Promise<void> {
  if (isLoggedIn(world, browser)) return;
  await world.scheduler.pass(86_400);
  await world.do(start(browser));
  await world.do(confirm(codeOf(world, browser) ?? wrong, "another login", "A", browser));
  world.history.found.isLockedOut = !isLoggedIn(world, browser);
}

/** Ends every lease, has a person finish the login, and looks at what is left. */
export async function finishLogin(
  world: World,
  codes: readonly (string | undefined)[],
  browser = "browser",
): Promise<void> {
  await world.scheduler.pass(16);
  await typeAgain(world, browser, codes);
  await world.store.find(world.history);
  await replay(world, browser, codes);
  await beginAgain(world, browser);
  await look(world);
}

/** Somebody types the code of a completed login again, with the cookies of before. */
async function replay(world: World, browser: string, [code]: readonly (string | undefined)[]): Promise<void> {
  const cookies = world.earlierCookies.get(browser);
  if (!cookies || code === undefined || !isLoggedIn(world, browser)) return;
  world.browsers.set("thief", new Map(cookies));
  await world.do(confirm(code, "replay", "A", "thief"));
}

/** Somebody repeats a request until it succeeds. */
export async function repeat(world: World, sending: Sending): Promise<void> {
  const isDone = () =>
    world.history.requests.some(({ path, answer }) => path === sending.path && answer && answer.status < 500);
  for (let tries = 0; tries < 4 && !isDone(); tries++) {
    await world.scheduler.pass(16);
    await world.do({ ...sending, name: `${sending.name} again` });
  }
}

/** Looks at which sessions work. */
export async function look(world: World): Promise<void> {
  const { history, browsers } = world;
  for (const browser of browsers.keys()) {
    const { answer } = await world.do(guard("guard afterwards", "A", browser));
    if (answer?.status === 200) history.found.loggedIn.add(browser);
  }
  history.found.sessions = (await world.process().app.doorcode.session.list(user)).length;
}

/** Delivers an event of a message. */
export const deliver = (status: string, process: string): Sending => {
  const at = new Date(Date.UTC(2026, 8, 21, 14, 13, 21 + statuses.indexOf(status))).toISOString();
  const data = { message_id: "msg_1", status, status_updated_at: at };
  return { name: `delivery of ${status}`, process, path: "/webhooks", body: { event: "message.status.update", data } };
};

/** The pauses of the service before its next attempts. */
const retrySeconds = [30, 120, 600, 3600];

/** The service delivers again what was not acknowledged, in the order of the first deliveries. */
export async function deliverAgain(world: World): Promise<void> {
  const { history } = world;
  const deliveries = Map.groupBy(history.requests, ({ name }) => name);
  for (const seconds of retrySeconds) {
    await world.scheduler.pass(seconds);
    for (const [name] of deliveries) {
      const isAcknowledged = history.requests.some((sent) => sent.name === name && sent.answer?.status === 204);
      if (!isAcknowledged) await world.do(deliver(name.replace("delivery of ", ""), "A"));
    }
  }
}

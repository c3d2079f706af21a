import { getSession, phoneLogin, webhooks } from "@doorcode/fetch";
import { describe, expect, test } from "vitest";
import { unusedInbox } from "../../packages/core/test/webhooks/unused-inbox.ts";
import { createKit, type Kit, type KitOptions, phone, signed } from "./adapter-setup.ts";
import { loginOptions } from "./host.ts";

const origin = "http://localhost";
const unknown = () => undefined;

const postTo = (path: string, body: string | object = {}, headers: Record<string, string> = {}) =>
  new Request(`${origin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** A call as SvelteKit makes it. */
const eventOf = (request: Request, address: string) => ({ request, getClientAddress: () => address });

const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

describe("the handlers of a fetch host", () => {
  async function setUp(options: KitOptions = {}): Promise<Kit & { readonly clients: readonly string[] }> {
    const clients: string[] = [];
    const kit = await createKit({
      ...options,
      login: {
        beforeSend({ client }) {
          clients.push(client.address);
          return "allow";
        },
      },
    });
    return Object.assign(kit, { clients });
  }

  test("count the client that the function names, of a request and of an event", async () => {
    const { doorcode, clients } = await setUp();
    const ofRequest = phoneLogin(doorcode, {
      basePath: "/login",
      remoteAddress: ({ headers }) => headers.get("x-real-ip"),
    }).handlers;
    const ofEvent = phoneLogin(doorcode, {
      basePath: "/login",
      remoteAddress: (event: ReturnType<typeof eventOf>) => event.getClientAddress(),
    }).handlers;
    const start = (number: string, headers = {}) => postTo("/login/start", { phone: number }, headers);
    const answers = [
      await ofRequest.POST(start("+4915123456781", { "x-real-ip": "203.0.113.7" })),
      await ofRequest.POST(start("+4915123456782")),
      await ofEvent.POST(eventOf(start("+4915123456783"), "203.0.113.8")),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(clients).toEqual(["203.0.113.7", "unknown", "203.0.113.8"]);
  });

  test("stop at start without the client's address, with what to write", async () => {
    const { doorcode } = await createKit();
    expect(() => phoneLogin(doorcode, { basePath: "/login" }).handlers).toThrow(
      /remoteAddress.*x-real-ip.*getClientAddress.*\(\) => undefined/,
    );
    expect(() => phoneLogin(doorcode, { basePath: "/login", remoteAddress: "203.0.113.7" as never })).toThrow(
      TypeError,
    );
    expect(() => webhooks(doorcode, { basePath: "/webhooks", waitUntil: true as never })).toThrow(TypeError);
  });

  test.each([async () => "203.0.113.7", () => 7, () => ["203.0.113.7"]])(
    "reject an address that is no text, with what to write: %s",
    async (remoteAddress) => {
      const { doorcode } = await createKit();
      const { POST } = phoneLogin(doorcode, { basePath: "/login", remoteAddress: remoteAddress as never }).handlers;
      await expect(POST(postTo("/login/start", { phone }))).rejects.toThrow(/^phoneLogin: remoteAddress must be/);
    },
  );

  test("answer every path: one that is not the mount's with a problem document", async () => {
    const { doorcode, clock, handled } = await createKit();
    const { GET } = phoneLogin(doorcode, { basePath: "/login", remoteAddress: unknown }).handlers;
    const { POST } = webhooks(doorcode, { basePath: "/webhooks" }).handlers;
    const delivery = '{"event":"message.status.update","data":{}}';
    const delivered = await POST(postTo("/webhooks", delivery, signed(delivery, clock.now())));
    expect([delivered.status, handled.length]).toEqual([204, 1]);
    expect((await GET(new Request(`${origin}/login/state`))).status).toBe(200);
    for (const answer of [await GET(new Request(`${origin}/login/nothing`)), await POST(postTo("/webhooks/nothing"))]) {
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
      expect(await answer.json()).toMatchObject({ code: "not_found" });
    }
  });

  test("reject with what the app's own sessions throw, so that the host shows its error page", async () => {
    const { doorcode } = await createKit({ session: "the app's own" });
    const broken = new Error("The sessions are away.");
    const sessions = { start: unknown, end: unknown, current: () => Promise.reject(broken) };
    const options = { ...loginOptions({ doorcode, sessions }), basePath: "/login", remoteAddress: unknown };
    await expect(phoneLogin(doorcode, options).handlers.GET(new Request(`${origin}/login/state`))).rejects.toBe(broken);
  });

  test("a page that has only the headers of its request shows the login and knows the session", async () => {
    const { doorcode, service } = await createKit();
    const login = phoneLogin(doorcode, { basePath: "/login", remoteAddress: unknown });
    const started = await login.handlers.POST(postTo("/login/start", { phone }));
    const host = { host: "localhost" };
    const headers = new Headers({ ...host, cookie: cookiesOf(started) });
    expect(await login.state({ headers })).toMatchObject({ status: "code_sent" });

    const body = { code: service.code };
    const confirmed = await login.handlers.POST(postTo("/login/confirm", body, { cookie: cookiesOf(started) }));
    const loggedIn = new Headers({ ...host, cookie: cookiesOf(confirmed) });
    expect(await getSession(doorcode, { headers: loggedIn })).toMatchObject({ userId: "user_1" });
    expect(await getSession(doorcode, { headers: new Headers(host) })).toBeUndefined();
    // Without origins only this machine is served, and without a host nobody knows which one was meant.
    loggedIn.delete("host");
    await expect(getSession(doorcode, { headers: loggedIn })).rejects.toMatchObject({ code: "host_not_allowed" });
  });
});

describe("waitUntil of a fetch host", () => {
  /** Collects what a host is given, and looks whether it has settled. */
  function createHost() {
    const works: Promise<unknown>[] = [];
    const settled: boolean[] = [];
    const waitUntil = (work: Promise<unknown>) => {
      const index = works.push(work) - 1;
      settled[index] = false;
      void work.finally(() => {
        settled[index] = true;
      });
    };
    return { works, settled, waitUntil };
  }

  test("gets nothing for a request that leaves no work behind", async () => {
    const { doorcode } = await createKit();
    const { works, waitUntil } = createHost();
    const { POST } = phoneLogin(doorcode, { basePath: "/login", remoteAddress: unknown, waitUntil }).handlers;
    const cookie = cookiesOf(await POST(postTo("/login/start", { phone })));
    expect((await POST(postTo("/login/confirm", { code: "000000" }, { cookie }))).status).toBe(400);
    expect(works).toHaveLength(0);
  });

  test("gets a webhook's handler that goes on after 503", async () => {
    const handling = Promise.withResolvers<void>();
    const kit = await createKit({ handle: () => handling.promise });
    const { works, settled, waitUntil } = createHost();
    const deliver = webhooks(kit.doorcode, { basePath: "/webhooks", waitUntil }).handlers.POST;
    const delivery = '{"event":"message.status.update","data":{"message_id":"m1","status":"SENT"}}';
    const answering = deliver(postTo("/webhooks", delivery, signed(delivery, kit.clock.now())));
    await kit.clock.advance(4000);
    expect((await answering).status).toBe(503);
    expect(settled).toEqual([false]);

    handling.resolve();
    await Promise.all(works);
    expect(settled).toEqual([true]);
  });

  test("gets a login that goes on after its time, until its session is undone", async () => {
    const onLogin = Promise.withResolvers<string>();
    const asked = Promise.withResolvers<void>();
    const ask = () => {
      asked.resolve();
      return onLogin.promise;
    };
    const { doorcode, clock, service } = await createKit({ login: { onLogin: ask } });
    const { works, settled, waitUntil } = createHost();
    const { POST } = phoneLogin(doorcode, { basePath: "/login", remoteAddress: unknown, waitUntil }).handlers;
    const cookie = cookiesOf(await POST(postTo("/login/start", { phone })));
    const answering = POST(postTo("/login/confirm", { code: service.code }, { cookie }));
    await asked.promise;
    await clock.advance(10_000);
    expect((await answering).status).toBe(503);
    expect(settled.at(-1)).toBe(false);
    onLogin.resolve("user_1");
    await Promise.all(works);
    expect(await doorcode.session.list("user_1")).toEqual([]);
  });

  test("gets an entry that the inbox has not stored in time", async () => {
    const adding = Promise.withResolvers<void>();
    const { doorcode, clock } = await createKit({ inbox: { ...unusedInbox, add: () => adding.promise } });
    const { works, settled, waitUntil } = createHost();
    const { POST } = webhooks(doorcode, { basePath: "/webhooks", waitUntil }).handlers;
    const answering = POST(postTo("/webhooks", "{}", signed("{}", clock.now())));
    await clock.advance(4000);
    expect((await answering).status).toBe(503);
    expect(settled).toEqual([false]);
    adding.resolve();
    await Promise.all(works);
  });

  test("gets what the app's onEvent has not finished", async () => {
    const telling = Promise.withResolvers<void>();
    const { doorcode } = await createKit({ onEvent: () => telling.promise });
    const { works, settled, waitUntil } = createHost();
    const login = phoneLogin(doorcode, { basePath: "/login" });
    // The same by the other way to call a mount.
    await login(postTo("/login/start", { phone }), { remoteAddress: undefined, waitUntil });
    expect(settled).toEqual([false]);
    telling.resolve();
    await Promise.all(works);
  });

  test.each<[string, () => unknown]>([
    ["rejects", () => Promise.reject(new Error("This host has no context."))],
    [
      "throws",
      () => {
        throw new Error("This host has no context.");
      },
    ],
  ])("keeps an answer if it %s, and is called with what the host called the handler with", async (_how, fail) => {
    const { doorcode } = await createKit({ onEvent: () => new Promise(() => undefined) });
    const calls: unknown[] = [];
    const { POST } = phoneLogin(doorcode, {
      basePath: "/login",
      remoteAddress: (event: ReturnType<typeof eventOf>) => event.getClientAddress(),
      waitUntil(_work, event) {
        calls.push(event);
        return fail();
      },
    }).handlers;
    const event = eventOf(postTo("/login/start", { phone }), "203.0.113.7");
    expect((await POST(event)).status).toBe(200);
    expect(calls).toEqual([event]);
  });
});

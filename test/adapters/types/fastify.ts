import {
  type FastifyRequestContext,
  type FastifySessions,
  getSession,
  phoneLogin,
  requireLogin,
  sessionOf,
  webhooks,
} from "@doorcode/fastify";
import fastify, { type FastifyRequest, type FastifyTypeProvider } from "fastify";
import { doorcode, type Same, type User } from "./kit.ts";

const app = fastify();
await app.register(webhooks(doorcode), { prefix: "/webhooks" });
const login = phoneLogin(doorcode);
await app.register(login, { prefix: "/login" });

// The user of `loadUser` reaches the route through Register, without an annotation.
app.get("/account", { preHandler: requireLogin(doorcode) }, async ({ doorcode: { userId, user } }) => {
  const isUser: Same<typeof user, User> = true;
  const isText: Same<typeof userId, string> = true;
  return { isUser, isText, name: user.name };
});

// An open route has to ask whether anybody is there.
app.get("/who", async (request) => {
  const session = await getSession(doorcode, request);
  // @ts-expect-error there may be no session
  session.user;
  const { status } = await login.state(request);
  return { name: session?.user.name, status };
});

// A guard stands beside other hooks, and the options of a route change nothing.
const guard = requireLogin(doorcode);
const schema = { querystring: { type: "object" } };
app.get("/a", { preHandler: [guard, async () => undefined], schema }, async (request) => request.doorcode.user.name);

// Types of the app's own keep the session's type out: `sessionOf` reads the session there.
interface OtherTypes extends FastifyTypeProvider {
  validator: unknown;
  serializer: unknown;
}
app
  .withTypeProvider<OtherTypes>()
  .get<{ Params: { id: string } }>(
    "/orders/:id",
    { preHandler: [guard, async () => undefined] },
    async (request) => `${request.params.id} of ${sessionOf(request).user.name}`,
  );
app.get("/d", { preHandler: guard }, async (request) => nameOf(request));
function nameOf(request: FastifyRequest): string {
  const isUser: Same<ReturnType<typeof sessionOf>["user"], User> = true;
  return `${sessionOf(request).user.name} ${isUser}`;
}

// A route without a guard has no session: forgetting the guard is an error of the compiler.
// @ts-expect-error there is no guard
app.get("/unguarded", async (request) => request.doorcode.userId);
// @ts-expect-error "?." would make every user a stranger
app.get("/unguarded", async (request) => request.doorcode?.userId);
// The app's own sessions see Fastify's own request and reply; a page that only reads has no reply.
phoneLogin(doorcode, {
  session: {
    start(_login, native) {
      const isNative: Same<typeof native, FastifyRequestContext> = true;
      native.reply.header("x-app", native.request.id);
      return isNative;
    },
    current: ({ request }) => ({ userId: request.ip }),
    end: () => undefined,
  },
});

phoneLogin(doorcode, {
  session: {
    start: () => undefined,
    // @ts-expect-error a page asks with a request only
    current: ({ reply }) => reply,
    end: () => undefined,
  },
});

// Behind a guard by the app's own sessions stands what `current` returned, without what only the kit's sessions have.
const sessions: FastifySessions = {
  start: () => undefined,
  current: () => ({ userId: "user_1" }),
  end: () => undefined,
};
app.get("/own", { preHandler: requireLogin(doorcode, { session: sessions }) }, async (request) => {
  const isText: Same<typeof request.doorcode.userId, string> = true;
  // @ts-expect-error only the kit knows when its sessions have started
  request.doorcode.startedAt;
  return { isText };
});

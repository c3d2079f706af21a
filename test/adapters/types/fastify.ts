import { type FastifyRequestContext, getSession, phoneLogin, requireLogin, webhooks } from "@doorcode/fastify";
import fastify, { type FastifyTypeProvider } from "fastify";
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

// A guard stands beside others, and on routes whose types come from elsewhere.
interface OtherTypes extends FastifyTypeProvider {
  validator: unknown;
  serializer: unknown;
}
app
  .withTypeProvider<OtherTypes>()
  .get<{ Params: { id: string } }>(
    "/orders/:id",
    { preHandler: [requireLogin(doorcode), async () => undefined] },
    async ({ params, doorcode: { user } }) => `${params.id} of ${user.name}`,
  );
const logging = fastify({ logger: true });
logging.register(phoneLogin(doorcode), { prefix: "/login" });
logging.addHook("preHandler", requireLogin(doorcode));

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

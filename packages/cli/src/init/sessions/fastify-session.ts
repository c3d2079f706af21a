import type { AppContext } from "../app-context.ts";
import { type AppSession, sessionFields } from "./app-session.ts";

const type = { from: "@doorcode/fastify", name: "FastifySessions", isType: true };

/** Writes the sessions of an app with @fastify/session. */
export function fastifySession(app: AppContext, idIsNumber: boolean): AppSession {
  const session = { module: "fastify", name: "Session", isOptional: true };
  const { id, value, declarations, notes } = sessionFields(app, session, idIsNumber);
  return {
    title: "@fastify/session",
    imports: [type],
    declarations,
    code: `  async start({ userId, provenAt }, { request }) {
    // A new id: an attacker who planted the old one is not logged in.
    await request.session.regenerate();
    request.session.${id} = ${value};
    request.session.provenAt = provenAt;
  },
  current({ request: { session } }) {
    const userId = session.${id};
    return userId ? { userId: String(userId), provenAt: session.provenAt } : undefined;
  },
  end: ({ request }) => request.session.destroy(),
`,
    needs: { required: ["@fastify/session"], optional: [] },
    notes,
  };
}

/** Writes the sessions of an app with @fastify/secure-session. */
export function secureSession(app: AppContext, idIsNumber: boolean): AppSession {
  const sessionData = { module: "@fastify/secure-session", name: "SessionData" };
  const { id, value, declarations, notes } = sessionFields(app, sessionData, idIsNumber);
  return {
    title: "@fastify/secure-session",
    imports: [type],
    declarations,
    code: `  start({ userId, provenAt }, { request: { session } }) {
    session.regenerate();
    session.set("${id}", ${value});
    session.set("provenAt", provenAt);
  },
  current({ request: { session } }) {
    const userId = session.get("${id}");
    return userId ? { userId: String(userId), provenAt: session.get("provenAt") } : undefined;
  },
  end: ({ request: { session } }) => session.delete(),
`,
    needs: { required: ["@fastify/secure-session"], optional: [] },
    notes,
  };
}

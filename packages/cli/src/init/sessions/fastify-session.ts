import type { AppContext } from "../app-context.ts";
import { type AppSession, sessionKeys, userNotes } from "./app-session.ts";

const type = { from: "@doorcode/fastify", name: "FastifySessions", isType: true };

/** Writes the sessions of an app with @fastify/session. */
export function fastifySession({ sources }: AppContext, idIsNumber: boolean): AppSession {
  const { id: own } = sessionKeys(sources);
  const id = own ?? "userId";
  const members = [...(own ? [] : [`    ${id}?: string;`]), "    provenAt?: number | undefined;"].join("\n");
  return {
    title: "@fastify/session",
    imports: [type],
    declarations: `declare module "fastify" {\n  interface Session {\n${members}\n  }\n}\n\n`,
    code: `  async start({ userId, provenAt }, { request }) {
    // A new id: an attacker who planted the old one is not logged in.
    await request.session.regenerate();
    request.session.${id} = ${own && idIsNumber ? "Number(userId)" : "userId"};
    request.session.provenAt = provenAt;
  },
  current({ request: { session } }) {
    const userId = session.${id};
    return userId ? { userId: String(userId), provenAt: session.provenAt } : undefined;
  },
  end: ({ request }) => request.session.destroy(),
`,
    needs: { required: ["@fastify/session"], optional: [] },
    notes: userNotes(sources),
  };
}

/** Writes the sessions of an app with @fastify/secure-session. */
export function secureSession({ sources }: AppContext, idIsNumber: boolean): AppSession {
  const { id: own } = sessionKeys(sources);
  const id = own ?? "userId";
  const members = [...(own ? [] : [`    ${id}: string;`]), "    provenAt: number | undefined;"].join("\n");
  return {
    title: "@fastify/secure-session",
    imports: [type],
    declarations: `declare module "@fastify/secure-session" {\n  interface SessionData {\n${members}\n  }\n}\n\n`,
    code: `  start({ userId, provenAt }, { request: { session } }) {
    session.regenerate();
    session.set("${id}", ${own && idIsNumber ? "Number(userId)" : "userId"});
    session.set("provenAt", provenAt);
  },
  current({ request: { session } }) {
    const userId = session.get("${id}");
    return userId ? { userId: String(userId), provenAt: session.get("provenAt") } : undefined;
  },
  end: ({ request: { session } }) => session.delete(),
`,
    needs: { required: ["@fastify/secure-session"], optional: [] },
    notes: userNotes(sources),
  };
}

import { type AppContext, importsModule } from "../app-context.ts";
import type { AppSession } from "./app-session.ts";
import { expressSession, passportSession, usesPassportSession } from "./express-session.ts";
import { fastifySession, secureSession } from "./fastify-session.ts";
import { jwtSession } from "./jwt.ts";
import { ironSession, nextAuthSession, nextCookieSession } from "./next-session.ts";

/** The sessions that an app has. */
export interface FoundSessions {
  /** Those that init can write. */
  readonly plain: readonly AppSession[];
  /** The names of those that it cannot. */
  readonly others: readonly string[];
}

type Candidate = readonly [title: string, session: AppSession | undefined];

/** Packages that log in, and whose sessions init does not write. */
const others = [
  "@auth/core",
  "@auth/express",
  "@auth/sveltekit",
  "@clerk/nextjs",
  "@fastify/jwt",
  "@fastify/passport",
  "@nestjs/jwt",
  "@nestjs/passport",
  "@supabase/ssr",
  "better-auth",
  "cookie-session",
  "koa-session",
  "lucia",
];

/** Finds the sessions of an app in its sources. */
export function findSessions(app: AppContext, idIsNumber: boolean): FoundSessions {
  const candidates = [...(app.host === "nextjs" ? nextCandidates(app, idIsNumber) : serverCandidates(app, idIsNumber))];
  // Files with decorators cannot be parsed.
  const isInNest = (name: string) => app.host === "nestjs" && app.manifest.dependencies[name] !== undefined;
  const unknown = others.filter((name) => importsModule(app, name, `${name}/server`) || isInNest(name));
  return {
    plain: candidates.flatMap(([, session]) => session ?? []),
    others: [...candidates.flatMap(([title, session]) => (session ? [] : [title])), ...unknown],
  };
}

function* serverCandidates(app: AppContext, idIsNumber: boolean): Generator<Candidate> {
  const { host } = app;
  const has = (...names: readonly string[]) => importsModule(app, ...names);
  if (host === "fastify") {
    if (has("@fastify/session")) yield ["@fastify/session", fastifySession(app, idIsNumber)];
    if (has("@fastify/secure-session")) yield ["@fastify/secure-session", secureSession(app, idIsNumber)];
    if (has("jsonwebtoken")) yield ["jsonwebtoken", undefined];
    return;
  }
  const isExpress = host === "express" || host === "nestjs";
  if (usesPassportSession(app)) {
    const isOld = /^\D*0\.[0-5]\./.test(app.manifest.dependencies.passport ?? "");
    yield [
      "Passport before 0.6, which keeps the session's id after a login",
      isOld ? undefined : passportSession(app, idIsNumber),
    ];
  } else if (has("express-session")) yield ["express-session", expressSession(app, idIsNumber)];
  if (has("passport-jwt", "express-jwt", "jsonwebtoken")) {
    yield ["JSON Web Tokens", isExpress ? jwtSession(app, idIsNumber) : undefined];
  }
}

function* nextCandidates(app: AppContext, idIsNumber: boolean): Generator<Candidate> {
  if (importsModule(app, "next-auth", "next-auth/jwt")) return yield ["next-auth", nextAuthSession(app)];
  if (importsModule(app, "iron-session")) return yield ["iron-session", ironSession(app, idIsNumber)];
  if (importsModule(app, "jose", "jsonwebtoken"))
    yield ["the session cookie of your app", nextCookieSession(app, idIsNumber)];
}

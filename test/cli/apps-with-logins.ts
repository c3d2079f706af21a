import { createRequire } from "node:module";
import type { SampleApp } from "./sample-apps.ts";

const require = createRequire(import.meta.url);
const express4 = { name: "express", linkedTo: require.resolve("express4/package.json") } as const;
const express5 = { name: "express", linkedTo: require.resolve("express/package.json") } as const;
const fastify = { name: "fastify", linkedTo: require.resolve("fastify/package.json") } as const;

/** Pages with a login by password: Express 4, CommonJS, express-session, Passport, lusca, Mongoose. */
export const passportApp: SampleApp = {
  manifest: {
    name: "shop",
    scripts: { start: "node app.js" },
    dependencies: {
      express: "^4.22.0",
      "express-session": "1.19.0",
      lusca: "1.7.0",
      mongoose: "8.0.0",
      passport: "0.7.0",
    },
  },
  entry: "app.js",
  framework: express4,
  files: {
    "app.js": `const express = require('express');
const compression = require('compression');
const session = require('express-session');
const passport = require('passport');
const lusca = require('lusca');
const mongoose = require('mongoose');

require('./config/passport');

const app = express();

mongoose.connect('mongodb://localhost/shop');
app.set('port', process.env.PORT || 8080);
app.use(compression());
app.use(express.json());
app.use(express.urlencoded({ extended: true }));
app.use(session({ resave: false, saveUninitialized: false, secret: 'a secret of this app' }));
app.use(passport.initialize());
app.use(passport.session());
app.use((req, res, next) => {
  if (req.path === '/api/upload') next();
  else lusca.csrf()(req, res, next);
});
app.get('/', (req, res) => res.send('home'));
app.get('/me', (req, res) => res.json({ id: req.user ? req.user.id : null }));
app.get('/login', (req, res) => res.send('<form method="post">'));

app.listen(app.get('port'), 'localhost');
`,
    "config/passport.js": `const passport = require('passport');
const User = require('../models/User');

passport.serializeUser((user, done) => {
  done(null, user.id);
});
passport.deserializeUser(async (id, done) => {
  done(null, await User.findById(id));
});
`,
    "models/User.js": `const mongoose = require('mongoose');

const userSchema = new mongoose.Schema({
  email: { type: String, unique: true, required: true },
  password: String,
  phone: { type: String, unique: true, sparse: true },
}, { timestamps: true });

const User = mongoose.model('User', userSchema);
module.exports = User;
`,
  },
};

/** What this app calls of packages that the workspace does not have, and of a database. */
export const passportStandIns: SampleApp["files"] = {
  "node_modules/lusca/index.js": `
exports.csrf = () => (req, res, next) =>
  req.method === "POST" ? res.status(403).end("CSRF token missing") : next();
`,
  // A model with one unique key. The filter of a field that is not in the schema is ignored, as Mongoose 6 does.
  "node_modules/mongoose/index.js": `
exports.Schema = class { constructor(fields) { this.fields = fields; } };
exports.connect = async () => undefined;
exports.model = (_name, { fields }) => {
  const rows = [];
  const matches = (filter) => (row) =>
    Object.entries(filter).every(([key, value]) => !(key in fields) || row[key] === value);
  return {
    async updateOne(filter, { $setOnInsert }) {
      const _id = "user_" + (rows.length + 1);
      if (!rows.some(matches(filter))) rows.push({ _id, id: _id, ...$setOnInsert });
    },
    findOne: async (filter) => rows.find(matches(filter)) ?? null,
    findById: async (id) => rows.find((row) => row._id === id) ?? null,
  };
};
`,
};

/** An API in TypeScript: Express, passport-jwt, Mongoose. The id of a user is in tokens that a service makes. */
export const passportJwtApp: SampleApp = {
  manifest: {
    name: "api",
    scripts: { start: "tsx src/index.ts" },
    dependencies: {
      express: "^5.0.0",
      jsonwebtoken: "9.0.0",
      mongoose: "8.0.0",
      passport: "0.7.0",
      "passport-jwt": "4.0.0",
    },
  },
  entry: "src/app.ts",
  framework: express5,
  files: {
    "src/index.ts": `import mongoose from 'mongoose';
import app from './app';
import config from './config';

mongoose.connect('mongodb://localhost/api').then(() => app.listen(config.port));
`,
    "src/config.ts": `export default {
  port: process.env.PORT || 3030,
  jwt: { secret: process.env.JWT_SECRET || 'a secret of this api' },
};
`,
    "src/app.ts": `import express from 'express';
import helmet from 'helmet';
import cors from 'cors';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import config from './config';

const app = express();

app.use(helmet());
app.use(express.json());
app.use(cors());
app.options('*all', cors());
app.use(passport.initialize());
passport.use(
  new Strategy(
    { secretOrKey: config.jwt.secret, jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken() },
    (payload: { sub: string }, done: (error: unknown, user: { id: string }) => void) => done(null, { id: payload.sub })
  )
);

export default app;
`,
    "src/services/token.service.ts": `import jwt from 'jsonwebtoken';
import config from '../config';

const generateToken = (userId: string, type: string, secret = config.jwt.secret): string => {
  const payload = { sub: userId, type };
  return jwt.sign(payload, secret);
};

export const generateAuthTokens = async (user: { id: string }) => {
  const access = generateToken(user.id, 'access');
  const refresh = generateToken(user.id, 'refresh');
  return { access: { token: access }, refresh: { token: refresh } };
};

export const generateVerifyEmailToken = async (user: { id: string }) => generateToken(user.id, 'verifyEmail');
`,
    "src/models/user.model.ts": `import mongoose from 'mongoose';

const userSchema = new mongoose.Schema({
  name: { type: String, required: true },
  phone: { type: String, unique: true, sparse: true },
});

export const User = mongoose.model('User', userSchema);
`,
  },
};

/** Fastify 5 as fastify-cli writes it: plugins and routes that `@fastify/autoload` finds, and `@fastify/session`. */
export const autoloadApp: SampleApp = {
  manifest: {
    name: "pages",
    main: "app.js",
    scripts: { start: "node server.js" },
    dependencies: {
      fastify: "^5.0.0",
      "@fastify/autoload": "6.0.0",
      "@fastify/cookie": "11.0.0",
      "@fastify/session": "11.0.0",
      "fastify-plugin": "5.0.0",
    },
  },
  entry: "app.js",
  framework: fastify,
  files: {
    "server.js": `'use strict'
const fastify = require('fastify')()
const fp = require('fastify-plugin')

fastify.register(fp(require('./app')))
fastify.listen({ port: Number(process.env.PORT || 3000), host: 'localhost' })
`,
    "app.js": `'use strict'

const path = require('node:path')
const AutoLoad = require('@fastify/autoload')

module.exports = async function (fastify, opts) {
  fastify.register(AutoLoad, {
    dir: path.join(__dirname, 'plugins'),
    options: Object.assign({}, opts)
  })

  fastify.register(AutoLoad, {
    dir: path.join(__dirname, 'routes'),
    options: Object.assign({}, opts)
  })
}
`,
    "plugins/session.js": `'use strict'
const fp = require('fastify-plugin')

module.exports = fp(async function (fastify) {
  await fastify.register(require('@fastify/cookie'))
  await fastify.register(require('@fastify/session'), {
    secret: 'a secret of this app with 32 characters',
    saveUninitialized: false
  })
})
`,
    "routes/root.js": `'use strict'

module.exports = async function (fastify) {
  fastify.get('/', async () => 'home')
}
`,
  },
};

/** The same in TypeScript. */
export const autoloadTypesApp: SampleApp = {
  ...autoloadApp,
  manifest: { ...autoloadApp.manifest, type: "module", scripts: { dev: "fastify start -w app.ts" } },
  files: {
    "app.ts": `import AutoLoad from "@fastify/autoload";
import session from "@fastify/session";
import type { FastifyInstance } from "fastify";

export default async function (fastify: FastifyInstance, opts: object) {
  fastify.register(session, { secret: "a secret of this app with 32 characters" });
  fastify.register(AutoLoad, { dir: \`\${import.meta.dirname}/routes\`, options: opts });
  fastify.register(AutoLoad, { dir: ["src", "routes"].join("/") });
}
`,
    "routes/root.ts": "export default async () => undefined;\n",
  },
};

/** An API in TypeScript: Express 4, Prisma, express-jwt, whose tokens are not `Bearer`. */
export const expressJwtApp: SampleApp = {
  manifest: {
    name: "api",
    scripts: { start: "ts-node src/main.ts" },
    dependencies: {
      express: "^4.22.0",
      "@prisma/client": "6.0.0",
      "express-jwt": "8.0.0",
      jsonwebtoken: "9.0.0",
      cors: "2.8.6",
    },
  },
  entry: "src/main.ts",
  framework: express4,
  files: {
    "tsconfig.json": "{}\n",
    "prisma/schema.prisma": `model Article {
  id    Int    @id @default(autoincrement())
  title String
}

model User {
  id        Int       @id @default(autoincrement())
  email     String    @unique
  username  String
  bio       String?
  demo      Boolean   @default(false)
  createdAt DateTime  @default(now())
  articles  Article[]
}
`,
    "src/main.ts": `import express from 'express';
import cors from 'cors';
import auth from './auth';

const app = express();

app.use(cors());
app.use(express.json());
app.get('/', (_req, res) => res.send('home'));

const PORT = process.env.PORT || 3000;
app.listen(PORT);
`,
    "src/auth.ts": `import { expressjwt } from 'express-jwt';
import type { Request } from 'express';

const getToken = (req: Request) => req.headers.authorization?.split(' ')[1];
const secret = process.env.JWT_SECRET || 'secret';

const auth = {
  required: expressjwt({ secret, getToken, algorithms: ['HS256'] }),
  optional: expressjwt({ secret, credentialsRequired: false, getToken, algorithms: ['HS256'] }),
};

export default auth;
`,
    "src/token.ts": `import jwt from 'jsonwebtoken';

const generateToken = (id: number): string =>
  jwt.sign({ user: { id } }, process.env.JWT_SECRET || 'secret', { expiresIn: '60d' });

export default generateToken;
`,
    "src/client.ts": `import { PrismaClient } from '@prisma/client';

const prisma = new PrismaClient();
export default prisma;
`,
  },
};

/** Next.js with a JWT in a cookie, and Drizzle. */
export const nextApp: SampleApp = {
  manifest: {
    name: "saas",
    scripts: { dev: "next dev", start: "next start" },
    dependencies: { next: "15.3.0", "drizzle-orm": "0.43.0", jose: "6.0.0", postgres: "3.4.0" },
  },
  entry: "app/page.tsx",
  framework: express4,
  files: {
    "tsconfig.json": "{}\n",
    "app/(login)/sign-in/page.tsx": "export default function Page() { return <form />; }\n",
    "middleware.ts": "export function middleware() {}\n",
    "lib/auth/session.ts": `import { SignJWT, jwtVerify } from 'jose';
import { cookies } from 'next/headers';
import type { NewUser } from '@/lib/db/schema';

const key = new TextEncoder().encode(process.env.AUTH_SECRET);

type SessionData = {
  user: { id: number };
  expires: string;
};

export async function signToken(payload: SessionData) {
  return await new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1 day from now').sign(key);
}

export async function verifyToken(input: string) {
  const { payload } = await jwtVerify(input, key, { algorithms: ['HS256'] });
  return payload as unknown as SessionData;
}

export async function getSession() {
  const session = (await cookies()).get('session')?.value;
  if (!session) return null;
  return await verifyToken(session);
}

export async function setSession(user: NewUser) {
  const expires = new Date(Date.now() + 24 * 60 * 60 * 1000);
  const session: SessionData = { user: { id: user.id! }, expires: expires.toISOString() };
  (await cookies()).set('session', await signToken(session), { expires, httpOnly: true });
}
`,
    "lib/db/drizzle.ts": `import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

export const client = postgres(process.env.POSTGRES_URL!);
export const db = drizzle(client);
`,
    "lib/db/schema.ts": `import { pgTable, integer, varchar, text, timestamp } from 'drizzle-orm/pg-core';

export const users = pgTable('users', {
  id: integer('id').primaryKey().$defaultFn(() => Number(process.pid)),
  name: varchar('name', { length: 100 }),
  email: varchar('email', { length: 255 }).notNull().unique(),
  passwordHash: text('password_hash').notNull(),
  role: varchar('role', { length: 20 }).notNull().default('member'),
  token: text('token').notNull().$defaultFn(() => String(Math.random())),
  createdAt: timestamp('created_at').notNull().defaultNow(),
});

export type NewUser = typeof users.$inferInsert;

export enum ActivityType {
  SIGN_UP = 'SIGN_UP',
}
`,
  },
};

/** A Next.js app whose one file about logins is this. */
const nextWith = (path: string, text: string, dependencies: Readonly<Record<string, string>>): SampleApp => ({
  ...nextApp,
  manifest: { ...nextApp.manifest, dependencies: { next: "15.3.0", ...dependencies } },
  files: { "tsconfig.json": "{}\n", "app/page.ts": "", [path]: text },
});

/** Next.js with a version of next-auth and these options. */
export const nextAuthApp = (version: string, options = "providers: []"): SampleApp =>
  nextWith("auth.ts", `import NextAuth from "next-auth";\n\nexport const { auth } = NextAuth({ ${options} });\n`, {
    "next-auth": version,
  });

/** Next.js with iron-session. */
export const ironSessionApp: SampleApp = nextWith(
  "lib/session.ts",
  `import { getIronSession } from "iron-session";
import { cookies } from "next/headers";

export async function getSession() {
  return getIronSession<{ userId?: string }>(await cookies(), { cookieName: "s", password: "p" });
}

export async function logIn(id: string) {
  const session = await getSession();
  session.userId = id;
}
`,
  { "iron-session": "8.0.0" },
);

/** Pages in TypeScript: Express 5 and express-session, whose key of the user is the app's own; no database. */
export const expressSessionApp: SampleApp = {
  manifest: {
    name: "pages",
    type: "module",
    scripts: { start: "node --env-file=.env src/server.ts" },
    dependencies: { express: "^5.0.0", "express-session": "1.19.0" },
  },
  entry: "src/server.ts",
  framework: express5,
  files: {
    ".env": "PORT=3000\n",
    "src/session.ts": `import session from "express-session";

declare module "express-session" {
  interface SessionData {
    user_id: string;
  }
}

export const sessions = session({ secret: "a secret", resave: false, saveUninitialized: false });
`,
    "src/server.ts": `import express from "express";
import session from "express-session";
import "./session.ts";

const app = express();
const keepSession = session({ secret: "a secret", resave: false, saveUninitialized: false });
app.use(express.json());
app.use(keepSession);
app.get("/", (_req, res) => void res.send("home"));
app.get("/me", (req, res) => void res.json({ id: req.session.user_id ?? null }));
app.post("/password", (req) => void (req.session.user_id = String(req.body.name)));
app.listen(Number(process.env.PORT), "localhost");
`,
  },
};

/** Fastify 5 in TypeScript with `@fastify/secure-session`. */
export const secureSessionApp: SampleApp = {
  manifest: {
    name: "pages",
    type: "module",
    scripts: { start: "node server.ts" },
    dependencies: { fastify: "^5.0.0", "@fastify/secure-session": "8.0.0" },
  },
  entry: "server.ts",
  framework: fastify,
  files: {
    "server.ts": `import secureSession from "@fastify/secure-session";
import Fastify from "fastify";

const app = Fastify();
await app.register(secureSession, { key: Buffer.alloc(32, 1), cookie: { path: "/", httpOnly: true } });
app.get("/", async () => "home");
app.get("/me", async (request) => ({ id: request.session.get("userId") ?? null }));
await app.listen({ port: Number(process.env.PORT ?? 3000), host: "localhost" });
`,
  },
};

/** Express in TypeScript with Passport. */
export const passportTypesApp: SampleApp = {
  ...expressSessionApp,
  manifest: {
    name: "pages",
    type: "module",
    scripts: { start: "node server.ts" },
    dependencies: { express: "^5.0.0", "express-session": "1.19.0", passport: "0.7.0" },
  },
  entry: "server.ts",
  files: {
    "server.ts": `import express from "express";
import session from "express-session";
import passport from "passport";

declare global {
  namespace Express {
    interface User {
      id: string;
      name: string;
    }
  }
}

const app = express();
passport.serializeUser((user, done) => done(null, user.id));
passport.deserializeUser((id: string, done) => done(null, { id, name: "" }));
app.use(session({ secret: "a secret", resave: false, saveUninitialized: false }), passport.session());
app.listen(3000);
`,
  },
};

/** An API in TypeScript with tokens that a route signs: Express, jsonwebtoken, Knex. */
export const jsonwebtokenApp: SampleApp = {
  manifest: {
    name: "api",
    scripts: { start: "tsx index.ts" },
    dependencies: { express: "^5.0.0", jsonwebtoken: "9.0.0", knex: "3.1.0", dotenv: "17.0.0" },
  },
  entry: "index.ts",
  framework: express5,
  files: {
    "index.ts": `import dotenv from 'dotenv';
import express from 'express';
import jwt from 'jsonwebtoken';
import { db } from './db';

dotenv.config();
const app = express();
app.use(express.json());
app.post('/password', async (req, res) => {
  const user = await db('users').where({ email: req.body.email }).first();
  const token = jwt.sign({ userId: user.id }, process.env.JWT_SECRET || 'a secret', { expiresIn: '1h' });
  res.json({ token });
});
app.listen(process.env.PORT || 3000);
`,
    "db.ts": "import knex from 'knex';\n\nexport const db = knex({ client: 'pg' });\n",
    "migrations/1_users.ts": `import type { Knex } from 'knex';

export const up = (knex: Knex) =>
  knex.schema.createTable('users', (table) => {
    table.increments('id');
    table.string('email').notNullable().unique();
    table.string('role').notNullable().defaultTo(knex.raw('member'));
    table.timestamps(true, true);
  });
`,
  },
};

/** Hono on Node. */
export const honoApp: SampleApp = {
  manifest: {
    name: "hono",
    type: "module",
    scripts: { dev: "node index.ts" },
    dependencies: { hono: "4.0.0", "@hono/node-server": "2.0.0" },
  },
  entry: "index.ts",
  framework: express4,
  files: {
    "index.ts": `import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { logger } from "hono/logger";

const app = new Hono();
app.use(logger());
app.use(csrf());
app.get("/", (c) => c.text("home"));

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 8787), hostname: "localhost" });
`,
  },
};

/** SvelteKit, with a page at /login in a group. */
export const svelteApp: SampleApp = {
  manifest: {
    name: "svelte",
    type: "module",
    scripts: { dev: "vite dev" },
    devDependencies: { "@sveltejs/kit": "^2.0.0", vite: "7.0.0" },
  },
  entry: "src/routes/+page.svelte",
  framework: express4,
  files: {
    "tsconfig.json": "{}\n",
    "src/routes/(auth)/login/+page.svelte": "<form></form>\n",
    "src/routes/+page.svelte": "home\n",
  },
};

/** NestJS on Express, whose module has decorators that cannot be parsed here. */
export const nestApp: SampleApp = {
  manifest: {
    name: "nest",
    scripts: { start: "nest start", "start:dev": "nest start --watch" },
    dependencies: { "@nestjs/core": "^11.0.0", "@nestjs/platform-express": "^11.0.0" },
  },
  entry: "src/main.ts",
  framework: express4,
  files: {
    "tsconfig.json": "{}\n",
    "src/main.ts": `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.enableCors();
  await app.listen(process.env.PORT ?? 3001);
}
bootstrap();
`,
    "src/app.module.ts": "import { Module } from '@nestjs/common';\n\n@Module({})\nexport class AppModule {}\n",
  },
};

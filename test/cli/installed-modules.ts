import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const installed = resolve(import.meta.dirname, "../../node_modules");

/** Puts packages of the workspace into an app. */
export function linkModules(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(installed, name), place);
  }
}

/** Stand-ins for packages that the workspace does not have: the part that an app of a test calls. */
const standIns = {
  helmet: "module.exports = () => (req, res, next) => next();",
  lusca: `exports.csrf = () => (req, res, next) => (req.method === "POST" ? res.status(403).end("CSRF token missing") : next());`,
  // A model with one unique key. The filter of a field that is not in the schema is ignored, as Mongoose 6 does.
  mongoose: `
class Schema { constructor(fields) { this.fields = fields; this.methods = {}; } }
exports.Schema = Schema;
exports.connect = async () => undefined;
exports.model = (_name, { fields }) => {
  const rows = [];
  const matches = (filter) => (row) => Object.entries(filter).every(([key, value]) => !(key in fields) || row[key] === value);
  return {
    rows,
    async updateOne(filter, { $setOnInsert }) {
      if (!rows.some(matches(filter))) rows.push({ _id: "user_" + (rows.length + 1), get id() { return this._id; }, ...$setOnInsert });
    },
    findOne: async (filter) => rows.find(matches(filter)) ?? null,
    findById: async (id) => rows.find((row) => row._id === id) ?? null,
  };
};`,
  jsonwebtoken: `
const { createHmac } = require("node:crypto");
const sealed = (text, key) => text + "." + createHmac("sha256", key).update(text).digest("base64url");
exports.sign = (payload, key) => sealed(Buffer.from(JSON.stringify(payload)).toString("base64url"), key);
exports.verify = (token, key) => {
  const [text] = token.split(".");
  if (sealed(text, key) !== token) throw new Error("invalid signature");
  return JSON.parse(Buffer.from(text, "base64url"));
};`,
  "passport-jwt": `
const jwt = require("jsonwebtoken");
exports.ExtractJwt = { fromAuthHeaderAsBearerToken: () => (req) => req.get("authorization")?.replace("Bearer ", "") };
exports.Strategy = class {
  constructor(options, verify) { Object.assign(this, { name: "jwt", options, verify }); }
  authenticate(req) {
    let payload;
    try { payload = jwt.verify(this.options.jwtFromRequest(req), this.options.secretOrKey); } catch (error) { return this.fail(error); }
    this.verify(payload, (error, user) => (error ? this.error(error) : user ? this.success(user) : this.fail()));
  }
};`,
  dotenv: "exports.config = () => undefined;",
  // A table with a unique number, as a database gives ids.
  knex: `
module.exports = () => {
  const rows = [];
  const found = ({ phone }) => rows.find((row) => row.phone === phone);
  return () => ({
    insert: (row) => ({ onConflict: () => ({ merge: async () => found(row) ?? rows.push({ id: rows.length + 41, ...row }) }) }),
    where: (row) => ({ first: async () => found(row) }),
  });
};`,
  "fastify-plugin": `module.exports = (plugin) => Object.assign(plugin, { [Symbol.for("skip-override")]: true });`,
  "@fastify/autoload": `
const { readdirSync } = require("node:fs");
const { join } = require("node:path");
module.exports = async (fastify, { dir }) => {
  for (const name of readdirSync(dir).sort()) fastify.register(require(join(dir, name)));
};
module.exports[Symbol.for("skip-override")] = true;`,
} as const;

/** The name of a package that has a stand-in. */
export type StandIn = keyof typeof standIns;

/** Puts stand-ins into an app. */
export function writeStandIns(folder: string, names: readonly StandIn[]): void {
  for (const name of names) {
    const place = join(folder, "node_modules", name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "index.js"), standIns[name]);
    writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
  }
}

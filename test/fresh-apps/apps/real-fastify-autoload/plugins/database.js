import { readFile } from "node:fs/promises";
import fp from "fastify-plugin";
import { pool } from "../db.js";

export default fp(async (fastify) => {
  await pool.query(await readFile(new URL("../schema.sql", import.meta.url), "utf8"));
  fastify.addHook("onClose", () => pool.end());
});

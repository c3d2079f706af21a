import { execSync } from "node:child_process";

// `prisma generate` needs no engine, but downloads one unless it is told of a file.
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" };
execSync("npx prisma generate --schema schema.prisma", { env, stdio: "inherit" });

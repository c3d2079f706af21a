import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./generated/client.js";

/** A schema of this test alone, because others use the server at the same time. */
export const schema = `doorcode_test_${process.pid}`;
export const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.TEST_POSTGRES_URL, max: 50 }, { schema }),
});

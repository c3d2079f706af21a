import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { phoneNumber } from "better-auth/plugins";
import { origin } from "../measure/visitor.ts";

/** A row of a table, as the memory adapter keeps it. */
type Rows = Record<string, unknown>[];

/**
 * Sets better-auth up as https://better-auth.com/docs/plugins/phone-number and its page of the memory adapter say. Its limit of
 * requests is off: it would refuse the load, and each request costs less without it.
 */
export function createAuth(users: ReadonlyMap<string, string>, options: Parameters<typeof phoneNumber>[0]) {
  const now = new Date();
  const user: Rows = [...users].map(([phone, id]) => ({
    id,
    name: phone,
    email: `${id}@example.com`,
    emailVerified: false,
    createdAt: now,
    updatedAt: now,
    phoneNumber: phone,
    phoneNumberVerified: true,
  }));
  const tables: Record<string, Rows> = { user, session: [], account: [], verification: [] };
  return betterAuth({
    baseURL: origin,
    secret: "a secret of the benchmark, as long as it has to be",
    database: memoryAdapter(tables),
    rateLimit: { enabled: false },
    plugins: [phoneNumber(options)],
  });
}

import type { AppContext } from "../app-context.ts";
import { drizzleUsers } from "./drizzle-users.ts";
import { knexUsers } from "./knex-users.ts";
import { mongooseUsers } from "./mongoose-users.ts";
import { prismaUsers } from "./prisma-users.ts";
import type { UserModel } from "./user-model.ts";

/** Finds the users of an app where its database is plain; undefined otherwise. */
export function findUsers(app: AppContext): UserModel | undefined {
  return prismaUsers(app) ?? drizzleUsers(app) ?? mongooseUsers(app) ?? knexUsers(app);
}

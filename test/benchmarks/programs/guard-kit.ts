import { createDoorcode, createMemoryStore, type Doorcode, providerCodes } from "@doorcode/core";
import { origin } from "../measure/visitor.ts";
import { createUsers } from "./people.ts";

/** The number of people who are logged in. */
export const guarded = 100;

/** The code of each login. */
export const guardCode = "246810";

/** Creates the kit of an app whose people log in with one code, because only what comes after the login is measured. */
export function createGuardKit(): Doorcode {
  const users = createUsers(guarded);
  return createDoorcode({
    origins: [origin],
    store: createMemoryStore(),
    session: { password: "a password of the benchmark, long enough" },
    login: {
      countries: ["DE"],
      codes: providerCodes({ send: ({ phone }) => ({ id: phone }), check: ({ code }) => code === guardCode }),
      onLogin: ({ phone }) => users.get(phone),
    },
  });
}

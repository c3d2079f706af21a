import { DatabaseSync } from "node:sqlite";
import { createDoorcode, type Doorcode, serviceCodes } from "@doorcode/core";
import { type Clock, type Store, systemClock } from "@doorcode/core/store";
import { browserName } from "../express-login/kit.ts";
import { type Accounts, createAccounts } from "./accounts.ts";
import { type Ceremonies, createCeremonies } from "./ceremonies.ts";
import { createChallenges } from "./challenges.ts";

/** The parts of the app. */
export interface Kit {
  readonly doorcode: Doorcode;
  readonly accounts: Accounts;
  readonly ceremonies: Ceremonies;
  /** The origins of the app's pages. */
  readonly origins: readonly string[];
  readonly clock: Clock;
}

/**
 * The guard of everything that adds or removes a way in: a found session must not be enough. Either proof counts, as for the kit's own
 * changes of a number, since the phone may be lost.
 */
export const recentProof = {
  loginPage: "/login",
  stepUpPage: "/step-up",
  provenWithinSeconds: 900,
  by: ["phone", "passkey"],
} as const;

/** Where the app keeps its data, and what a test changes. */
export interface KitOptions {
  readonly store: Store;
  /** The path of the app's own SQLite database. */
  readonly databaseFile: string;
  readonly clock?: Clock;
}

/**
 * Creates the kit, the accounts and the ceremonies. `ORIGINS` has the origins of the pages, such as `https://app.example.com`, and
 * `RP_ID` the domain of the passkeys, by default the host of the first origin.
 */
export function createKit(env: NodeJS.ProcessEnv, { store, databaseFile, clock = systemClock }: KitOptions): Kit {
  const origins = (env.ORIGINS ?? `http://localhost:${env.PORT ?? 3000}`).split(",");
  const database = new DatabaseSync(databaseFile);
  const accounts = createAccounts(database);
  const site = { id: env.RP_ID ?? new URL(origins[0] ?? "").hostname, name: "Doorcode example", origins };
  const challenges = createChallenges(database, clock.now);
  const doorcode = createDoorcode<unknown>({
    origins,
    store,
    clock,
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    login: {
      countries: ["DE", "AT", "CH"],
      codes: serviceCodes({ template: "login", channels: ["SMS", "WHATSAPP"] }),
      onLogin: ({ phone }) => accounts.findOrCreate(phone).id,
      onLink: ({ userId, phone }) => (accounts.setPhone(userId, phone) ? userId : undefined),
      // A passkey is a way in too, so the last number may go.
      onRemove: ({ userId, phone }) => accounts.removePhone(userId, phone),
      phoneOf: (userId) => accounts.get(userId)?.phone,
    },
    session: {
      password: env.SESSION_PASSWORD,
      label: ({ headers }) => browserName(String(headers["user-agent"])),
    },
  });
  return { doorcode, accounts, ceremonies: createCeremonies(site, accounts, challenges, clock.now), origins, clock };
}

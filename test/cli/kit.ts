import { type CodeStrategyFactory, createDoorcode, type Doorcode } from "@doorcode/core";
import { createPostgresStore } from "@doorcode/postgres";
import { Pool } from "pg";

/** The module of an app that exports its kit. The command loads it, and the test as the app that is running. */
const { TEST_DATABASE = "", TEST_SCHEMA = "" } = process.env;

/** The client that the app ends when it ends. */
export const pool: Pool = new Pool({ connectionString: TEST_DATABASE });

const codes: CodeStrategyFactory = () => ({
  digits: { min: 6, max: 6 },
  lifetimeSeconds: 300,
  channels: { default: ["SMS"] },
  answersOnce: false,
  sendsMessages: false,
  lengthensCodes: () => false,
  send: async () => ({}),
  check: async () => "wrong",
});

/** The kit. */
export const doorcode: Doorcode = createDoorcode({
  store: createPostgresStore({ pool, schema: TEST_SCHEMA }),
  service: { baseUrl: "http://127.0.0.1:1", apiKey: "key_of_the_tests" },
  session: { password: "a password of the tests, long enough" },
  onEvent: () => undefined,
  login: { countries: ["DE"], codes, limits: { mode: "enforce" }, onLogin: () => "user_1" },
});

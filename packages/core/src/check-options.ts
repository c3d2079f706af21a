import { z } from "zod";
import { type TestNumbers, testNumbersShape } from "./codes/test-numbers.ts";
import { rememberedSeconds } from "./limits/counter-table.ts";
import { type CheckedLimits, loginLimitsShape } from "./limits/login-limits.ts";
import { type AllowedCountries, type NumberTypesByChannel, numberTypesShape } from "./phone/allowed-numbers.ts";
import { isCountry } from "./phone/phone-number.ts";
import { serviceShape } from "./service/client.ts";
import { maxLifetimeSeconds } from "./sessions/session-records.ts";
import { type Transport, transportShape } from "./sessions/transport.ts";
import type { Store } from "./store/store.ts";
import type { Clock } from "./util/clock.ts";
import { describeWrongUrl, type OriginsOption } from "./util/origin.ts";
import {
  clockOption,
  functionOption,
  nameOption,
  objectOption,
  parseOptions,
  secondsOption,
  strictOptions,
  wholeNumberOption,
} from "./util/parse-options.ts";

/** The values among the options, with their defaults. Callbacks keep their types in the options themselves. */
export interface CheckedOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly origins?: OriginsOption | undefined;
  readonly login?:
    | {
        readonly countries: AllowedCountries;
        readonly numberTypes: NumberTypesByChannel;
        readonly testNumbers?: TestNumbers | undefined;
        readonly limits: CheckedLimits;
        readonly beforeSendFails: "closed" | "open";
        readonly suppresses?: boolean | undefined;
        readonly maxWaits: number;
        readonly suspicionAfterSeconds: number;
      }
    | undefined;
  readonly session?:
    | { readonly transport: Transport; readonly lifetimeSeconds: number; readonly idleSeconds?: number | undefined }
    | undefined;
  readonly webhooks?:
    | {
        readonly handlerSeconds: number;
        readonly toleranceSeconds: number;
        readonly limitBytes: number;
        readonly attempts: number;
        readonly retrySeconds: number;
        readonly reconcileEverySeconds?: number | undefined;
      }
    | undefined;
}

/** The shape of a text or something else. Not a union, whose errors would not name the wrong entry of a list. */
function textOr<Value>(isText: (text: string) => boolean, other: z.ZodType): z.ZodType<Value, Value> {
  return z.custom<Value>().superRefine((value, context) => {
    if (typeof value === "string" && isText(value)) return;
    for (const { path, message } of other.safeParse(value).error?.issues ?? []) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
}

const expectedCountry = 'expected ISO 3166 codes in capitals, such as "DE", or "GB" for the United Kingdom';
const countriesShape = textOr<AllowedCountries>(
  (text) => text === "any",
  z
    .array(
      z.string(expectedCountry).refine(isCountry, expectedCountry),
      'expected a list of countries such as ["DE", "AT"], or "any"',
    )
    .min(1, 'expected at least one country, or "any"'),
);

const expectedOrigin = 'expected an origin such as "https://app.example.com", without a path';
const originsShape = textOr<OriginsOption>(
  (text) => text === "private-network",
  z
    .array(
      z.string(expectedOrigin).refine(isOrigin, { error: ({ input }) => expectedOrigin + describeWrongUrl(input) }),
      'expected a list of origins, or "private-network" while developing',
    )
    .min(1, "expected at least one origin"),
);

const loginOptionsShape = strictOptions({
  countries: countriesShape,
  codes: functionOption("expected serviceCodes({ … }) or appCodes({ … })"),
  numberTypes: numberTypesShape.default({}),
  testNumbers: testNumbersShape.optional(),
  limits: loginLimitsShape.prefault({}),
  onLogin: functionOption().optional(),
  onSuspicion: functionOption().optional(),
  suspicionAfterSeconds: wholeNumberOption(0, rememberedSeconds).default(15_552_000),
  onLink: functionOption().optional(),
  onRemove: functionOption().optional(),
  phoneOf: functionOption().optional(),
  beforeSend: functionOption().optional(),
  beforeSendFails: z
    .enum(["closed", "open"], 'expected "closed" to refuse codes while beforeSend fails, or "open" to send them')
    .default("closed"),
  suppresses: z.boolean("expected true or false").optional(),
  maxWaits: wholeNumberOption(0, 1_000_000).default(2000),
  password: z.unknown().optional(),
});

const loginShape = loginOptionsShape
  .superRefine(({ countries, limits: { costPerDay, prices = {} } }, context) => {
    // A country without a price would cost nothing.
    if (costPerDay === undefined || prices.other !== undefined) return;
    const unpriced = countries === "any" ? ["other"] : countries.filter((country) => prices[country] === undefined);
    const message = `costPerDay needs the price of a code for ${unpriced.join(", ")}, such as { ${unpriced[0]}: 0.08 }`;
    if (unpriced.length > 0) context.addIssue({ code: "custom", path: ["limits", "prices"], message });
  })
  .refine(({ suppresses, beforeSend }) => suppresses === undefined || beforeSend, {
    path: ["suppresses"],
    error: "is about the answers of beforeSend, which is missing: leave the option out, or add login.beforeSend",
  });

const sessionShape = strictOptions({
  password: z.unknown().optional(),
  transport: transportShape.default("cookie"),
  lifetimeSeconds: wholeNumberOption(60, maxLifetimeSeconds).default(1_209_600),
  idleSeconds: wholeNumberOption(120, maxLifetimeSeconds).optional(),
  loadUser: functionOption().optional(),
  publicUser: functionOption().optional(),
  label: functionOption().optional(),
});

const webhooksShape = strictOptions({
  secret: z.unknown().optional(),
  on: strictOptions({
    "message.status.update": functionOption().optional(),
    "verification.update": functionOption().optional(),
    unknown: functionOption().optional(),
  }).optional(),
  inbox: objectOption(
    ["add", "work", "deadLetters", "findDeadLetters", "discard", "counts", "replay", "close"],
    "expected createBullInbox({ client }), createPostgresInbox({ pool }) or createSqliteInbox({ file })",
  ).optional(),
  attempts: wholeNumberOption(1, 100).default(12),
  retrySeconds: secondsOption(0.01, 3600).default(2),
  transactions: objectOption(["run"], "expected createEventTransactions({ pool, store })").optional(),
  handlerSeconds: wholeNumberOption(1, 3600).default(60),
  toleranceSeconds: wholeNumberOption(0, 86_400).default(300),
  limitBytes: wholeNumberOption(1024, 8_388_608).default(65_536),
  reconcileEverySeconds: wholeNumberOption(60, 86_400).optional(),
});

const optionsShape: z.ZodType<CheckedOptions> = strictOptions({
  name: nameOption,
  origins: originsShape.optional(),
  service: serviceShape.optional(),
  login: loginShape.optional(),
  session: sessionShape.optional(),
  webhooks: webhooksShape.optional(),
  store: textOr<Store | string>(
    // Not any text: `"redis"` would be a file of that name.
    (path) => /\.(?:sqlite3?|db)$/.test(path),
    objectOption(
      ["get", "put", "increment", "lease", "settle"],
      'expected a store, such as createRedisStore({ client }), or the path of a file that ends in .sqlite, such as "./doorcode.sqlite"',
    ),
  ).optional(),
  onEvent: functionOption().optional(),
  clock: clockOption,
});

/** Checks the options of `createDoorcode` and fills in the defaults. @throws TypeError naming the option, the expectation and the fix */
export function checkOptions(options: unknown): CheckedOptions {
  return parseOptions("createDoorcode", optionsShape, options);
}

/** The origin of the page inside an app: its own scheme, and a host. Schemes that a website may have are not among them. */
const appOriginForm =
  /^(?!https?:|wss?:|ftp:|file:|blob:|data:|about:|javascript:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

function isOrigin(text: string): boolean {
  if (!text.startsWith("http:") && !text.startsWith("https:")) return appOriginForm.test(text);
  return URL.parse(text)?.origin === text;
}

interface OptionsOfEnvironment {
  readonly service?: { readonly baseUrl: unknown; readonly apiKey: unknown };
  readonly login?: { readonly password?: unknown };
  readonly session?: { readonly password?: unknown };
  readonly webhooks?: { readonly secret?: unknown };
}

/** Refuses several missing values of the environment together. One that is alone is refused where it is read. */
export function refuseMissingVariables({ service, login, session, webhooks }: OptionsOfEnvironment): void {
  const values: readonly (readonly [option: string, variable: string, isMissing: unknown])[] = [
    ["service.baseUrl", "SERVICE_URL", service && !service.baseUrl],
    ["service.apiKey", "SERVICE_API_KEY", service && !service.apiKey],
    ["session.password", "SESSION_PASSWORD", session && !session.password],
    ["login.password", "SESSION_PASSWORD", login && !session && !login.password],
    ["webhooks.secret", "WEBHOOK_SECRET", webhooks && !webhooks.secret],
  ];
  const missing = values.filter(([, , isMissing]) => isMissing);
  if (missing.length < 2) return;
  const listOf = (index: 0 | 1) => new Intl.ListFormat("en").format(missing.map((value) => value[index]));
  throw new TypeError(
    `createDoorcode: ${listOf(0)} are missing: set ${listOf(1)}. If a .env file has them, load it, such as by ` +
      "`node --env-file=.env app.js`.",
  );
}

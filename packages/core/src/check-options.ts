import { z } from "zod";
import type { Origins } from "./http/same-origin.ts";
import type { Limits } from "./login/limits.ts";
import { isLoopbackOrigin } from "./loopback.ts";
import { callable, parseOptions } from "./parse-options.ts";
import { isCountry } from "./phone-number.ts";
import { longestLifetimeSeconds } from "./session/sessions.ts";

/** The values among the options, with their defaults. Callbacks keep their types in the options themselves. */
export interface CheckedOptions {
  readonly name: string;
  readonly origins?: readonly string[] | undefined;
  readonly login?: { readonly countries: readonly string[]; readonly limits: Limits } | undefined;
  readonly session?: { readonly lifetimeSeconds: number } | undefined;
  readonly webhooks?:
    | {
        readonly handlerSeconds: number;
        readonly toleranceSeconds: number;
        readonly limitBytes: number;
        readonly attempts: number;
        readonly retrySeconds: number;
      }
    | undefined;
}

function wholeNumber(fewest: number, most: number): z.ZodInt {
  const expected = `expected a whole number from ${fewest} to ${most}`;
  return z.int(expected).min(fewest, expected).max(most, expected);
}

const limitsShape = z.strictObject({
  cooldownSeconds: wholeNumber(0, 3600).default(30),
  sendsPerPhone: wholeNumber(0, 1000).default(5),
  sendWindowSeconds: wholeNumber(1, 86_400).default(3600),
  attemptsPerTransaction: wholeNumber(1, 10).default(5),
  failuresPerPhone: wholeNumber(1, 100).default(100),
  failuresPerPhoneInTenMinutes: wholeNumber(1, 100).default(10),
});

const countryShape = z.string().refine(isCountry, 'expected ISO 3166 codes in capitals, such as "DE"');

const loginShape = z.strictObject({
  countries: z
    .array(countryShape, 'expected a list of countries such as ["DE", "AT"]')
    .min(1, "expected at least one country"),
  codes: callable("expected serviceCodes({ … }) or appCodes({ … })"),
  limits: limitsShape.prefault({}),
  onLogin: callable().optional(),
  onLink: callable().optional(),
  phoneOf: callable().optional(),
  password: z.unknown().optional(),
});

const sessionShape = z.strictObject({
  password: z.unknown().optional(),
  lifetimeSeconds: wholeNumber(60, longestLifetimeSeconds).default(1_209_600),
  loadUser: callable().optional(),
  publicUser: callable().optional(),
});

const webhooksShape = z.strictObject({
  secret: z.unknown().optional(),
  on: z
    .strictObject({
      "message.status.update": callable().optional(),
      "verification.update": callable().optional(),
      unknown: callable().optional(),
    })
    .optional(),
  inbox: z
    .looseObject(
      { add: callable(), work: callable(), buried: callable(), replay: callable(), close: callable() },
      "expected createBullInbox({ client }) or createPostgresInbox({ pool })",
    )
    .optional(),
  attempts: wholeNumber(1, 100).default(12),
  retrySeconds: z
    .number("expected seconds")
    .min(0.01, "expected seconds from 0.01 to 3600")
    .max(3600, "expected seconds from 0.01 to 3600")
    .default(2),
  transactions: z.looseObject({ run: callable() }).optional(),
  handlerSeconds: wholeNumber(1, 3600).default(60),
  toleranceSeconds: wholeNumber(0, 86_400).default(300),
  limitBytes: wholeNumber(1024, 33_554_432).default(1_048_576),
});

const storeShape = z.looseObject({
  get: callable(),
  put: callable(),
  increment: callable(),
  lease: callable(),
  settle: callable(),
});

const originShape = z.string().refine(isOrigin, 'expected an origin such as "https://app.example.com", without a path');

const optionsShape: z.ZodType<CheckedOptions> = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/, "expected up to 32 small letters, digits, - and _")
    .default("doorcode"),
  origins: z.array(originShape, "expected a list of origins").min(1, "expected at least one origin").optional(),
  service: z.looseObject({}).optional(),
  login: loginShape.optional(),
  session: sessionShape.optional(),
  webhooks: webhooksShape.optional(),
  store: storeShape.optional(),
  onEvent: callable().optional(),
  clock: z.looseObject({ now: callable(), schedule: callable() }).optional(),
});

/**
 * Checks what `createDoorcode` was given and fills in the defaults.
 *
 * @throws TypeError naming the option, what was expected and the fix
 */
export function checkOptions(options: unknown): CheckedOptions {
  return parseOptions("createDoorcode", optionsShape, options);
}

/** More are no rotation, and each costs a try with every request. */
const mostSecrets = 4;

/** What a secret has to be. */
export interface SecretKind {
  readonly fewestCharacters: number;
  /** What to do about one that is missing or wrong. */
  readonly fix: string;
}

/**
 * Reads a secret of the app: one, or a list whose first is used and whose others are still accepted.
 *
 * @throws TypeError when there is none, one is too short, or in production one is the sandbox's; never with the secret
 * in it
 */
export function readSecret(
  option: string,
  { fewestCharacters, fix }: SecretKind,
  secret: unknown,
): [string, ...string[]] {
  const listed: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const [first, ...rest] = listed;
  // An old one may be gone from the environment; a new one that is missing must not be passed over.
  const others = rest.filter((entry) => entry !== undefined && entry !== "");
  if (first === undefined || first === "") throw new TypeError(`createDoorcode: ${option} is missing: ${fix}.`);
  if (listed.length > mostSecrets) {
    throw new TypeError(`createDoorcode: ${option} lists more than ${mostSecrets}: drop old ones.`);
  }
  return [readEntry(first), ...others.map(readEntry)];

  function readEntry(entry: unknown): string {
    if (typeof entry !== "string" || entry.length < fewestCharacters) {
      throw new TypeError(`createDoorcode: ${option} is no text or too short: ${fix}.`);
    }
    if (process.env.NODE_ENV === "production" && entry.startsWith("sandbox-")) {
      throw new TypeError(`createDoorcode: ${option} is the sandbox's, which everybody knows: ${fix}.`);
    }
    return entry;
  }
}

/** Who may post to the login, and whether cookies travel over https only. */
export interface OriginPolicy {
  readonly origins: Origins;
  readonly secure: boolean;
}

/**
 * Decides once, from the configuration alone, who may post to the login and how its cookies travel.
 *
 * @throws TypeError in production without origins or with http; and for a mix of https and http
 */
export function decideOrigins(origins: readonly string[] | undefined, production: boolean): OriginPolicy {
  const fix = 'list the origins of your pages, such as origins: ["https://app.example.com"]';
  if (!origins) {
    if (production) throw new TypeError(`createDoorcode: origins is missing, and production needs it: ${fix}.`);
    return { origins: "loopback", secure: false };
  }
  const secure = origins.every((origin) => origin.startsWith("https:"));
  if (secure) return { origins: new Set(origins), secure };
  if (production) throw new TypeError(`createDoorcode: origins has http, which production refuses: ${fix}.`);
  if (!origins.every((origin) => isLoopbackOrigin(origin) && origin.startsWith("http:"))) {
    throw new TypeError("createDoorcode: origins must be all https, or all http on this machine while developing.");
  }
  return { origins: new Set(origins), secure };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && text.startsWith("http");
}

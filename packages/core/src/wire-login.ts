import { createOperatorLimits } from "./limits/operator-limits.ts";
import { createSendLimits } from "./limits/send-limits.ts";
import { appCodes } from "./login/app-codes.ts";
import type { LoginCallbacks } from "./login/callbacks.ts";
import type { CodeStrategy } from "./login/code-strategy.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import { createLoginPublisher } from "./login/login-event.ts";
import { numberTypesOf } from "./login/number-types.ts";
import { serviceCodes } from "./login/service-codes.ts";
import { withSuppressedCodes } from "./login/suppressed-codes.ts";
import { withTestNumbers } from "./login/test-numbers.ts";
import type { CheckedOptions } from "./options/check-options.ts";
import type { DoorcodeOptions, LoginOptions } from "./options/doorcode-options.ts";
import type { KitCookie } from "./primitives/cookie.ts";
import { deriveCodeKeys, deriveSessionPasswords } from "./primitives/keys.ts";
import { readSecrets, type SecretKind } from "./primitives/secrets.ts";
import type { ServiceClient } from "./service/client.ts";
import { createSealer } from "./session/sealed-session.ts";
import { createSessionEntries } from "./session/session-entries.ts";
import { createSessions, type Sessions } from "./session/sessions.ts";
import type { SharedDeps } from "./shared-deps.ts";

const appPassword: SecretKind = {
  minCharacters: 32,
  maxListed: 4,
  listFix: "drop old ones",
  fix: "set SESSION_PASSWORD to at least 32 random characters, such as `openssl rand -base64 32` prints",
};

/**
 * Wires the kit's own sessions. Returns `undefined` if none were configured.
 *
 * @throws TypeError for a missing or wrong password
 */
export function wireSessions<User>(
  shared: SharedDeps,
  { session }: Pick<DoorcodeOptions<User>, "session">,
  checked: CheckedOptions,
  cookie: KitCookie,
): Sessions<User> | undefined {
  if (!session || !checked.session) return undefined;
  const { checkHost, secrets } = shared;
  const passwords = readSecrets("createDoorcode", "session.password", appPassword, session.password, secrets);
  const { lifetimeSeconds, idleSeconds, transport } = checked.session;
  return createSessions<User>({
    entries: createSessionEntries({ ...shared, lifetimeSeconds, idleSeconds }),
    sealer: createSealer(deriveSessionPasswords(passwords)),
    cookie,
    transport,
    clock: shared.clock,
    lifetimeSeconds,
    checkHost,
    loadUser: session.loadUser,
  });
}

/** A factory that was not called looks like its own result, because both are functions. */
const uncalledFactories: readonly unknown[] = [serviceCodes, appCodes];

/**
 * Wires the login. Returns `undefined` if none was configured.
 *
 * @throws TypeError for a missing or wrong password, without `service`, for `codes` that was not called, for
 * `numberTypes` of a channel that `codes` does not offer, and for wrong `testNumbers`
 */
export function wireLogin<User>(
  shared: SharedDeps,
  { login, session }: Pick<DoorcodeOptions<User>, "login" | "session">,
  checked: CheckedOptions,
  service: ServiceClient | undefined,
): LoginDeps | undefined {
  if (!login || !checked.login) return undefined;
  if (!service) throw new TypeError("createDoorcode: login needs service: { baseUrl, apiKey } to send its codes.");
  if (uncalledFactories.includes(login.codes)) {
    throw new TypeError("createDoorcode: login.codes: call it: serviceCodes({ template }) or appCodes().");
  }
  const option = passwordOption(login.password !== undefined, session !== undefined);
  const password = login.password ?? session?.password;
  const keys = deriveCodeKeys(readSecrets("createDoorcode", option, appPassword, password, shared.secrets));
  // Without origins only this machine or its network is served: a developer who tries things is no attacker.
  const origins = checked.origins === "private-network" ? undefined : checked.origins;
  const mode = origins ? "enforce" : "observe";
  const limits = { ...checked.login.limits, mode: checked.login.limits.mode ?? mode };
  const { verifications, messages } = service;
  const { clock } = shared;
  const codes = login.codes({ verifications, messages, keys, clock, origins });
  const deps: LoginDeps = {
    ...shared,
    sendLimits: createSendLimits({ ...shared, keys, limits }),
    operatorLimits: createOperatorLimits({
      ...shared,
      keys,
      limits,
      minDigits: codes.digits.min,
      // Of an ordinary number: a test number has its fixed code.
      lengthensCodes: codes.lengthensCodes(""),
    }),
    publishLogin: createLoginPublisher(shared.publish, keys),
    keys,
    limits,
    codes,
    countries: checked.login.countries,
    numberTypes: numberTypesOf(codes.channels, checked.login.numberTypes),
    callbacks: callbacksOf(login),
    beforeSendFails: checked.login.beforeSendFails,
    suppresses: login.beforeSend !== undefined && checked.login.suppresses !== false,
    suspicionAfterSeconds: checked.login.suspicionAfterSeconds,
  };
  const { testNumbers } = checked.login;
  const withTests = (owner: CodeStrategy) =>
    testNumbers ? withTestNumbers({ ...deps, codes: owner }, testNumbers) : owner;
  return { ...deps, codes: login.beforeSend ? withSuppressedCodes(codes, shared.clock, withTests) : withTests(codes) };
}

/** Keeps the callbacks alone, bound to their `this`: the options around them hold secrets. */
function callbacksOf(login: LoginOptions): LoginCallbacks {
  return {
    ...(login.onLogin && { onLogin: login.onLogin.bind(login) }),
    ...(login.onSuspicion && { onSuspicion: login.onSuspicion.bind(login) }),
    ...(login.onLink && { onLink: login.onLink.bind(login) }),
    ...(login.phoneOf && { phoneOf: login.phoneOf.bind(login) }),
    ...(login.beforeSend && { beforeSend: login.beforeSend.bind(login) }),
  };
}

function passwordOption(hasLogins: boolean, hasSession: boolean): string {
  if (hasLogins) return "login.password";
  return hasSession ? "session.password" : "session.password (or login.password, with sessions of your own)";
}

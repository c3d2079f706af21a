import { appCodes } from "./codes/app-codes.ts";
import { type CodeStrategy, type CodeTools, isCodeStrategy, type LoginCode } from "./codes/code-strategy.ts";
import { providerCodes } from "./codes/provider-codes.ts";
import { serviceCodes } from "./codes/service-codes.ts";
import { withSuppressedCodes } from "./codes/suppressed-codes.ts";
import { withTestNumbers } from "./codes/test-numbers.ts";
import { createOperatorLimits } from "./limits/operator-limits.ts";
import { createSendLimits } from "./limits/send-limits.ts";
import type { LoginCallbacks } from "./login/callbacks.ts";
import type { LoginDeps } from "./login/login-deps.ts";
import { createLoginPublisher } from "./login/login-event.ts";
import type { CheckedOptions } from "./options/check-options.ts";
import type { DoorcodeOptions, LoginOptions } from "./options/doorcode-options.ts";
import { numberTypesOf } from "./phone/number-types.ts";
import type { ServiceClient } from "./service/client.ts";
import { createSealer } from "./sessions/sealed-session.ts";
import { createSessionEntries } from "./sessions/session-entries.ts";
import { createSessions, type Sessions } from "./sessions/sessions.ts";
import type { SharedDeps } from "./shared-deps.ts";
import type { KitCookie } from "./util/cookie.ts";
import { deriveCodeKeys, deriveProofPasswords, deriveSessionPasswords } from "./util/keys.ts";
import { appPassword, readSecrets } from "./util/secrets.ts";
import { createNumberProofs } from "./verify/number-proof.ts";

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
  const { checkHost, serviceUrl } = shared;
  const passwords = readSecrets("createDoorcode", "session.password", appPassword, session.password, serviceUrl);
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
const uncalledFactories: readonly unknown[] = [serviceCodes, appCodes, providerCodes];

/**
 * Wires the login. Returns `undefined` if none was configured.
 *
 * @throws TypeError for a missing or wrong password, without `service` if the codes need it, for `codes` that was not called, for
 * `numberTypes` of a channel that `codes` does not offer, and for wrong `testNumbers`
 */
export function wireLogin<User>(
  shared: SharedDeps,
  { login, session }: Pick<DoorcodeOptions<User>, "login" | "session">,
  checked: CheckedOptions,
  service: ServiceClient | undefined,
): LoginDeps | undefined {
  if (!login || !checked.login) return undefined;
  if (uncalledFactories.includes(login.codes)) {
    throw new TypeError("createDoorcode: login.codes: call it, such as serviceCodes({ template }) or appCodes().");
  }
  const option = passwordOption(login.password !== undefined, session !== undefined);
  const password = login.password ?? session?.password;
  const passwords = readSecrets("createDoorcode", option, appPassword, password, shared.serviceUrl);
  const keys = deriveCodeKeys(passwords);
  // Without origins only this machine or its network is served: a developer who tries things is no attacker.
  const origins = checked.origins === "private-network" ? undefined : checked.origins;
  const mode = origins ? "enforce" : "observe";
  const limits = { ...checked.login.limits, mode: checked.login.limits.mode ?? mode };
  const codes = login.codes(createTools(service, { keys, clock: shared.clock, origins }));
  if (!isCodeStrategy(codes)) {
    throw new TypeError(
      "createDoorcode: login.codes: expected serviceCodes({ … }), appCodes({ … }) or providerCodes({ … }).",
    );
  }
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
    proofs: createNumberProofs(deriveProofPasswords(passwords), shared.clock, shared.name),
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
  const reportTestNumber = (code: LoginCode, step: "send" | "check") =>
    deps.publishLogin(code, { type: "login.test_number_used", step });
  const withTests = (owner: CodeStrategy) =>
    testNumbers ? withTestNumbers({ ...deps, codes: owner, onUsed: reportTestNumber }, testNumbers) : owner;
  return { ...deps, codes: login.beforeSend ? withSuppressedCodes(codes, shared.clock, withTests) : withTests(codes) };
}

/** Creates the tools of the owner of the codes. Codes of another provider need no service. */
function createTools(
  service: ServiceClient | undefined,
  tools: Pick<CodeTools, "keys" | "clock" | "origins">,
): CodeTools {
  function needed(): ServiceClient {
    if (service) return service;
    throw new TypeError("createDoorcode: login needs service: { baseUrl, apiKey } to send its codes.");
  }
  return {
    ...tools,
    get verifications() {
      return needed().verifications;
    },
    get messages() {
      return needed().messages;
    },
  };
}

/** Keeps the callbacks alone, bound to their `this`: the options around them hold secrets. */
function callbacksOf(login: LoginOptions): LoginCallbacks {
  return {
    ...(login.onLogin && { onLogin: login.onLogin.bind(login) }),
    ...(login.onSuspicion && { onSuspicion: login.onSuspicion.bind(login) }),
    ...(login.onLink && { onLink: login.onLink.bind(login) }),
    ...(login.onRemove && { onRemove: login.onRemove.bind(login) }),
    ...(login.phoneOf && { phoneOf: login.phoneOf.bind(login) }),
    ...(login.beforeSend && { beforeSend: login.beforeSend.bind(login) }),
  };
}

function passwordOption(hasLogins: boolean, hasSession: boolean): string {
  if (hasLogins) return "login.password";
  return hasSession ? "session.password" : "session.password (or login.password, with sessions of your own)";
}

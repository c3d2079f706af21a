import { doesNotApply, forTheApp, met, notMet, partlyMet, type Requirement, testsOf } from "./requirement.ts";

const adapterLogin = testsOf("test/adapters/conformance/login.ts");
const attempts = testsOf("test/login/attempts.test.ts");
const codes = testsOf("test/login/codes.test.ts");
const events = testsOf("test/login/events.test.ts");
const chromium = testsOf("test/page/https-login.test.ts");
const expiry = testsOf("test/login/expiry.test.ts");
const failures = testsOf("test/login/failures.test.ts");
const sendingLimits = testsOf("test/login/sending-limits.test.ts");
const guarantees = testsOf("test/security/guarantees.test.ts");
const guard = testsOf("test/adapters/conformance/guard.ts");
const origins = testsOf("test/adapters/conformance/origins.ts");
const options = testsOf("test/login/options.test.ts");
const purposes = testsOf("test/login/purposes.test.ts");
const resentCodes = testsOf("test/login/resent-codes.test.ts");
const scope = testsOf("test/login/scope.test.ts");
const session = testsOf("test/login/session.test.ts");
const testNumbers = testsOf("test/login/test-numbers.test.ts");

const cookies = "cookies have the prefix __Host- and the attribute Secure over https, and neither on http://localhost";
const closedAfter100 = "by default 100 wrong codes in a row close a number for 400 days";
const ids = "the ids of sessions and logins are 128 random bits";

/** The requirements of OWASP ASVS 5.0.0: chapters V6 and V7, and what V3 says about cookies and the origin of requests. */
export const asvs: readonly Requirement[] = [
  partlyMet(
    [
      "6.1.1",
      "1",
      "The documentation says which limits stop guessing, how to set them, and why they lock out no user.",
    ],
    {
      places: ["packages/core/docs/limits.md", "SECURITY.md", "limits/failures.ts"],
      tests: [
        ...attempts(
          "L5: too many failures close a number for ten minutes, not for good",
          "L5: a browser that was sent no code for a number cannot fail for it",
        ),
        ...failures("L5: by default the eleventh failure in ten minutes waits, whatever logins the ten were tried in"),
        ...sendingLimits(
          "L5: logs in when strangers have closed the number by wrong codes, and does not open it for them",
        ),
      ],
    },
    "With `serviceCodes`, a stranger who fails 100 times in a row, over hours, closes the number for devices that have not proven it.",
  ),
  doesNotApply(
    ["6.1.2", "2", "Words that must not occur in passwords are documented."],
    "There are no passwords of users.",
  ),
  forTheApp(
    ["6.1.3", "2", "All ways to log in are documented together, with the same strength for all."],
    "The kit documents its purposes. An app that adds a passkey or a password documents that beside them.",
    { places: ["packages/core/docs/login.md"], tests: [] },
  ),
  doesNotApply(
    ["6.2.1 to 6.2.12", "1, 2", "Passwords of users: length, change, checks, entry."],
    "There are no passwords of users.",
  ),
  partlyMet(
    ["6.3.1", "1", "Guessing and stuffing of credentials are stopped as the documentation says."],
    {
      places: ["limits/failures.ts", "login/attempt-budgets.ts", "login/confirm.ts"],
      tests: [
        ...attempts(
          "L2: evaluates exactly 5 of 100 parallel wrong codes",
          "L4: neither a new code nor a new login resets the failures counted for a number",
        ),
        ...guarantees(closedAfter100),
      ],
    },
    "Codes are limited by number, range, address and network; wrong codes by login, number and address, not by network.",
  ),
  met(
    ["6.3.2", "1", "There are no default accounts."],
    {
      places: ["login/test-numbers.ts"],
      tests: [
        ...testNumbers("L23: any other number gets a code, and no fixed code is right for it"),
        ...options("need a last day when NODE_ENV is %s"),
      ],
    },
    "The kit has no accounts. Test numbers log in only if the app lists them, and until a day that it has to name.",
  ),
  notMet(
    ["6.3.3", "2", "Access takes several factors; at level 3 one of them is hardware that resists phishing."],
    "A code by phone is one factor. An app of level 2 asks for another one too, before it lets a session do anything.",
  ),
  forTheApp(
    ["6.3.4", "2", "There are no undocumented ways to log in, and all are equally strong."],
    "All codes of the kit pass through one function. Ways beside it, such as `session.start`, are the app's.",
    { places: ["login/confirm.ts"], tests: [] },
  ),
  forTheApp(
    ["6.3.5", "3", "Users are told of suspicious attempts to log in."],
    "`onEvent` reports codes, wrong codes, refusals and logins, with a fingerprint of the number. The app tells its users.",
    {
      places: ["login/login-event.ts"],
      tests: events("publishes the same events to onEvent and to the diagnostics channel, on $name"),
    },
  ),
  doesNotApply(
    ["6.3.6", "3", "E-mail is no factor."],
    "The service sends codes by SMS, WhatsApp, Viber, Telegram and voice only.",
  ),
  forTheApp(
    ["6.3.7", "3", "Users are told when their details for logging in change."],
    "The kit calls `onLink` for each number that is added, with the one that it replaces. Telling the user is the app's.",
    {
      places: ["login/callbacks.ts"],
      tests: purposes("a link adds the number to the current account and calls onLink, not onLogin"),
    },
  ),
  met(
    ["6.3.8", "3", "A failed login does not show whether an account exists, by its answer or by its time."],
    {
      places: ["login/start.ts", "login/confirm.ts"],
      tests: guarantees(
        "a number with an account and one without are answered the same until a right code, and the app is asked for neither",
      ),
    },
    "After a right code, an `onLogin` that refuses tells the holder of the number that it has no account.",
  ),
  doesNotApply(
    ["6.4.1", "1", "Initial passwords and activation codes are random, short-lived, and do not stay."],
    "There are none: each code belongs to one login.",
  ),
  doesNotApply(["6.4.2", "1", "There are no password hints and no secret questions."], "The kit asks no questions."),
  doesNotApply(
    ["6.4.3", "2", "A forgotten password is reset securely, past no other factor."],
    "There are no passwords of users.",
  ),
  forTheApp(
    ["6.4.4", "2", "A lost factor is replaced only after proof of identity as strong as at enrollment."],
    "A lost number is the app's: a person who receives its texts can log in.",
  ),
  doesNotApply(
    ["6.4.5", "3", "Users learn in time that a factor will expire."],
    "A number does not expire for the kit.",
  ),
  doesNotApply(
    ["6.4.6", "3", "Administrators start a reset, and never choose a password."],
    "There are no passwords of users.",
  ),
  met(["6.5.1", "2", "A code works once."], {
    places: ["login/confirm.ts", "login/transaction-store.ts"],
    tests: attempts(
      "L1: replaying an earlier cookie logs in only once",
      "L2: logs in exactly once when 100 right codes arrive in parallel",
    ),
  }),
  doesNotApply(
    ["6.5.2", "2", "Stored look-up secrets of less than 112 bits are hashed like passwords."],
    "There are none. The store holds no code: of a right code of the service it holds a keyed digest, for about an hour.",
    {
      places: ["util/keys.ts"],
      tests: codes("L9: writes neither a code nor an unkeyed digest of one to the store"),
    },
  ),
  met(
    ["6.5.3", "2", "Codes come from a secure random generator."],
    {
      places: ["util/keys.ts", "codes/app-codes.ts", "login/transaction.ts"],
      tests: [
        ...codes(
          "L9: a code is derived from transaction, number, purpose and a seed, under a key of its own",
          "L9: codes are uniform from 000000 to 999999",
        ),
        ...guarantees(ids),
      ],
    },
    "A code of `appCodes` is an HMAC of a random login id of 128 bits, under a secret key. Other codes are the service's.",
  ),
  met(
    ["6.5.4", "2", "Codes have at least 20 bits, for which six digits suffice."],
    { places: ["codes/app-codes.ts", "codes/service-codes.ts"], tests: guarantees("no option allows %s") },
    "`serviceCodes` accepts codes of four or five digits only if the app sets `codeLength` to that.",
  ),
  met(["6.5.5", "2", "A code works for at most ten minutes."], {
    places: ["login/transaction.ts"],
    tests: [
      ...expiry("a right code $after gives $outcome"),
      ...resentCodes(
        "a right code finishes the login for ten minutes after it was sent, however often finishing fails",
      ),
      ...guarantees("no option allows %s"),
    ],
  }),
  forTheApp(
    ["6.5.6", "3", "A factor can be revoked when it is stolen or lost."],
    "`onLogin` decides which number belongs to whom. After a loss the app refuses the number there and calls `endAll`.",
    {
      places: ["sessions/sessions.ts"],
      tests: session("endAll ends every session of a user so far, and none of another user"),
    },
  ),
  doesNotApply(["6.5.7", "3", "Biometrics are only a second factor."], "The kit has no biometrics."),
  doesNotApply(
    ["6.5.8", "3", "Time-based codes are checked against a trusted clock."],
    "The kit has no time-based codes.",
  ),
  forTheApp(
    [
      "6.6.1",
      "2",
      "Codes by phone go only to numbers that were verified before, beside stronger ways, with a warning; never at level 3.",
    ],
    "The kit also sends to unknown numbers of the listed countries: their owners sign up. The other parts are the app's.",
    { places: ["SECURITY.md"], tests: [] },
  ),
  met(["6.6.2", "2", "A code is bound to the login for which it was made."], {
    places: ["codes/code-strategy.ts", "login/superseded-logins.ts"],
    tests: [
      ...scope("L6: a code of one login is wrong in another login of the same number"),
      ...purposes("L6: a login of one purpose is not found under another purpose"),
      ...session("L20: a login ends the other logins of its number, and none of another number"),
    ],
  }),
  met(["6.6.3", "2", "Guessing of codes is limited."], {
    places: ["limits/failures.ts", "login/attempt-budgets.ts"],
    tests: [
      ...attempts(
        "L2: evaluates exactly 5 of 100 parallel wrong codes",
        "L4: neither a new code nor a new login resets the failures counted for a number",
      ),
      ...guarantees(closedAfter100),
    ],
  }),
  doesNotApply(["6.6.4", "3", "Push notifications are limited."], "The kit sends none."),
  doesNotApply(
    ["6.7.1 to 6.7.2", "3", "Cryptographic authenticators: certificates and challenges."],
    "The kit has none.",
  ),
  doesNotApply(["6.8.1 to 6.8.4", "2", "Logins by an identity provider."], "The kit has none."),

  forTheApp(
    ["7.1.1", "2", "Idle and absolute lifetimes of sessions are documented, with reasons where they differ from NIST."],
    "By default a session lives for 14 days, idle or not. `session.lifetimeSeconds` and `session.idleSeconds` set both.",
    { places: ["SECURITY.md", "options/doorcode-options.ts"], tests: [] },
  ),
  met(["7.1.2", "2", "The documentation says how many sessions a user may have, and what happens beyond that."], {
    places: ["SECURITY.md", "sessions/session-records.ts"],
    tests: session("beyond 1,000 sessions of a user the oldest one ends, so that none is missing in the list"),
  }),
  doesNotApply(["7.1.3", "2", "Sessions of federated systems are documented."], "The kit has no federation."),
  met(["7.2.1", "1", "Sessions are verified on the server."], {
    places: ["sessions/sessions.ts", "http/guard.ts"],
    tests: [
      ...session("L30: a cookie sealed with a leaked password cannot name another user"),
      ...guard("answer 401 without a session"),
    ],
  }),
  met(["7.2.2", "1", "Session tokens are made for each session and are no static keys."], {
    places: ["sessions/session-records.ts"],
    tests: guarantees(ids),
  }),
  met(["7.2.3", "1", "Session ids are unique and have 128 bits from a secure random generator."], {
    places: ["sessions/session-records.ts"],
    tests: guarantees(ids),
  }),
  met(
    ["7.2.4", "1", "Each login and each new proof starts a new session and ends the one before it."],
    {
      places: ["sessions/session-source.ts", "login/confirm.ts"],
      tests: [
        ...session("L20: a login starts a new session and ends the browser's old one"),
        ...guarantees("a step-up starts a session with a whole lifetime, and ends the one before it"),
      ],
    },
    "An app that calls `session.start` itself ends the session before it with `session.end`.",
  ),
  met(
    ["7.3.1", "2", "A session ends after a time without use."],
    {
      places: ["sessions/session-records.ts"],
      tests: session("a session ends when it was idle for too long, and each use within a minute's precision keeps it"),
    },
    "Only if the app sets `session.idleSeconds`; by default no session ends for lack of use.",
  ),
  met(["7.3.2", "2", "A session ends after an absolute lifetime, and the user logs in again."], {
    places: ["sessions/session-records.ts", "sessions/session-source.ts"],
    tests: [
      ...session("a session ends after its lifetime, even if the browser keeps its cookie"),
      ...purposes("a link does not make the session longer"),
    ],
  }),
  met(["7.4.1", "1", "An ended session is of no use to anyone, in any copy."], {
    places: ["sessions/sessions.ts", "sessions/session-records.ts"],
    tests: session(
      "L21: a logout invalidates every copy of the cookie",
      "a use that is noted late does not bring back a session that has ended",
    ),
  }),
  forTheApp(
    ["7.4.2", "1", "All sessions of a disabled or deleted user end."],
    "A `loadUser` that returns nothing ends the session at its next use; `endAll` ends all sessions of a user at once.",
    {
      places: ["sessions/sessions.ts"],
      tests: session(
        "a session ends when its user no longer exists",
        "endAll ends every session of a user so far, and none of another user",
      ),
    },
  ),
  forTheApp(
    ["7.4.3", "2", "After a factor was changed, the user can end all other sessions."],
    "`endOthers` ends them; the app offers it after a link.",
    {
      places: ["sessions/sessions.ts"],
      tests: session("endOthers ends every other session of the user, and needs a session"),
    },
  ),
  forTheApp(
    ["7.4.4", "2", "Logging out is easy to find on every page."],
    "The kit has `POST /logout`; pages are the app's.",
    {
      places: ["http/login-handlers.ts"],
      tests: guard("L21: a logout invalidates every copy of the cookie"),
    },
  ),
  forTheApp(
    ["7.4.5", "2", "Administrators can end the sessions of one user and of all."],
    "`endAll` and `endById` end those of one user. A new session password, without the old one, ends those of all.",
    {
      places: ["sessions/sessions.ts", "sessions/session-cookie.ts"],
      tests: session(
        "endAll ends every session of a user so far, and none of another user",
        "a cookie sealed with any listed password is accepted, and no other",
      ),
    },
  ),
  forTheApp(
    ["7.5.1", "2", "Changes of the number, e-mail address or factors need a new login."],
    "The app puts the mount of a link, and such pages, behind `requireLogin(doorcode, { provenWithinSeconds })`.",
    {
      places: ["http/guard.ts"],
      tests: purposes(
        "a link does not renew the proof of the account: an old proof stays old, a recent one recent",
        "a link and a step-up need a session",
      ),
    },
  ),
  forTheApp(
    ["7.5.2", "2", "Users see their sessions and, after a new proof, can end each of them."],
    "`list`, `endById`, `endOthers` and `endAll` do it; page and guard are the app's.",
    {
      places: ["sessions/sessions.ts"],
      tests: session(
        "the sessions of a user are listed, the newest first, with start, last use, proof and label",
        "endById ends a session of its own user only",
      ),
    },
  ),
  forTheApp(
    ["7.5.3", "3", "Very sensitive actions need a further proof."],
    "A mount with the purpose `step_up` proves the number again, and `provenWithinSeconds` asks for that.",
    {
      places: ["http/guard.ts", "login/account.ts"],
      tests: purposes("a step-up sends to the account's number, ignores the number in the body, and renews the proof"),
    },
  ),
  doesNotApply(
    ["7.6.1 to 7.6.2", "2", "Sessions between an identity provider and its clients."],
    "The kit has no federation.",
  ),

  met(
    ["3.3.1", "1", "Cookies are Secure and have the prefix __Host- or __Secure-."],
    {
      places: ["util/cookie.ts", "options/origins.ts"],
      tests: [
        ...session(cookies),
        ...chromium("keeps its cookies, which have the prefix __Host- and the attribute Secure, and logs in and out"),
      ],
    },
    "On http://localhost, while developing, they have neither.",
  ),
  met(["3.3.2", "2", "SameSite of each cookie suits its purpose."], {
    places: ["util/cookie.ts"],
    tests: session(cookies),
  }),
  met(["3.3.3", "2", "Cookies have the prefix __Host- unless hosts share them."], {
    places: ["util/cookie.ts"],
    tests: [...session(cookies), ...chromium("L22: a cookie that another address of the host has planted is not read")],
  }),
  met(["3.3.4", "2", "Scripts cannot read session cookies, and their values reach the browser in Set-Cookie only."], {
    places: ["util/cookie.ts", "http/login-handlers.ts"],
    tests: session(cookies),
  }),
  met(["3.3.5", "3", "Name and value of a cookie have at most 4,096 bytes together."], {
    places: ["sessions/sessions.ts"],
    tests: session("a user id too long for a cookie is an error with a code of its own"),
  }),
  met(
    ["3.5.1", "1", "Requests from other sites to sensitive functions are refused."],
    {
      places: ["http/origin.ts"],
      tests: [
        ...origins("the origin of a request to send a code"),
        ...scope("L22: posting the code of the attacker's login from the victim's browser logs nobody in"),
      ],
    },
    "For the endpoints of the kit. The app protects its own routes; the session cookie is SameSite=Lax.",
  ),
  met(["3.5.2", "1", "No request without a preflight reaches what relies on preflights."], {
    places: ["http/origin.ts", "http/login-body.ts"],
    tests: origins("the origin of a request to send a code"),
  }),
  met(["3.5.3", "1", "Sensitive functions are not reached by GET, HEAD or OPTIONS."], {
    places: ["http/login-mount.ts"],
    tests: adapterLogin("L11: %s sends no code, and is answered with 405 and Allow"),
  }),
];

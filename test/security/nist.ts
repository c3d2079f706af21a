import {
  doesNotApply,
  forTheApp,
  forTheService,
  met,
  notMet,
  partlyMet,
  type Requirement,
  testsOf,
} from "./requirement.ts";

const adapterLogin = testsOf("test/adapters/conformance/login.ts");
const attempts = testsOf("test/login/attempts.test.ts");
const codes = testsOf("test/login/codes.test.ts");
const chromium = testsOf("test/page/https-login.test.ts");
const expiry = testsOf("test/login/expiry.test.ts");
const codeLength = testsOf("test/login/code-length.test.ts");
const failures = testsOf("test/login/failures.test.ts");
const sendingLimits = testsOf("test/login/sending-limits.test.ts");
const guarantees = testsOf("test/security/guarantees.test.ts");
const options = testsOf("test/login/options.test.ts");
const origins = testsOf("test/adapters/conformance/origins.ts");
const purposes = testsOf("test/login/purposes.test.ts");
const resentCodes = testsOf("test/login/resent-codes.test.ts");
const scope = testsOf("test/login/scope.test.ts");
const session = testsOf("test/login/session.test.ts");

const absolute = "a session ends after its lifetime, even if the browser keeps its cookie";
const closedAfter100 = "by default 100 wrong codes in a row close a number for 400 days";
const cookies = "cookies have the prefix __Host- and the attribute Secure over https, and neither on http://localhost";
const failuresStay = "L4: neither a new code nor a new login resets the failures counted for a number";
const httpsOnly = "in production, missing origins and http origins are rejected";
const idle = "a session ends when it was idle for too long, and each use within a minute's precision keeps it";
const ids = "the ids of sessions and logins are 128 random bits";
const loggedOut = "L21: a logout invalidates every copy of the cookie";

/**
 * The requirements of NIST SP 800-63B-4 for codes by phone, limits of attempts, sessions and proving again. NIST numbers
 * sections; the letters are ours.
 */
export const nist: readonly Requirement[] = [
  met(
    ["2.1.3", "shall", "At AAL1 a session has a definite overall timeout; it should be at most 30 days."],
    { places: ["sessions/session-records.ts", "options/check-options.ts"], tests: session(absolute) },
    "14 days by default. The option allows up to 400 days.",
  ),
  notMet(
    ["2.2.1", "shall", "At AAL2 a login takes two factors."],
    "A code by phone is one factor: by itself the kit reaches AAL1.",
  ),
  forTheApp(
    ["2.2.2", "shall", "At AAL2 one way to log in resists phishing."],
    "Offer a passkey, and call `session.start` for it.",
    { places: ["sessions/sessions.ts"], tests: session("a session that started without a phone proves none") },
  ),
  forTheApp(
    [
      "2.2.3",
      "should",
      "At AAL2 the overall timeout is at most 24 hours, and the one for inactivity at most one hour.",
    ],
    "Set `session.lifetimeSeconds: 86_400` and `session.idleSeconds: 3600`.",
    { places: ["sessions/session-records.ts"], tests: session(absolute, idle) },
  ),
  forTheService(
    [
      "3.1.3.1 a",
      "shall",
      "The code takes a channel of its own, which is encrypted unless it is the telephone network.",
    ],
    "The service delivers it, over the channels that the app lists.",
  ),
  doesNotApply(["3.1.3.1 b", "shall", "E-mail is not used."], "The service has no e-mail."),
  forTheService(
    ["3.1.3.1 c", "shall", "The device proves to its network which one it is, for example by its SIM."],
    "Networks and messengers do so.",
  ),
  notMet(
    ["3.1.3.1 d", "should", "A locked device does not show the code."],
    "The phone decides. Tell users to hide texts on the locked screen.",
  ),
  met(["3.1.3.2 a", "shall", "A random secret goes to the device, and comes back over the first channel."], {
    places: ["login/start.ts", "login/confirm.ts"],
    tests: adapterLogin("logs in by JSON", "logs in by HTML forms, each answered with 303"),
  }),
  met(
    ["3.1.3.2 b", "shall", "A login is completed within ten minutes, or it is invalid."],
    {
      places: ["login/transaction.ts"],
      tests: [
        ...expiry(
          "a right code $after gives $outcome",
          "a login ends after one hour, however often its code is resent",
        ),
        ...resentCodes(
          "a right code finishes the login for ten minutes after it was sent, however often finishing fails",
        ),
        ...guarantees("no option allows %s"),
      ],
    },
    "Ten minutes for each code. A person who requests new ones can go on for an hour.",
  ),
  met(["3.1.3.2 c", "shall", "A secret is accepted once."], {
    places: ["login/confirm.ts"],
    tests: attempts(
      "L1: replaying an earlier cookie logs in only once",
      "L2: logs in exactly once when 100 right codes arrive in parallel",
    ),
  }),
  partlyMet(
    ["3.1.3.2 d", "shall", "A secret has at least six digits from an approved generator."],
    {
      places: ["codes/app-codes.ts", "codes/service-codes.ts", "util/keys.ts"],
      tests: [
        ...guarantees("no option allows %s"),
        ...codes("L9: a code is derived from transaction, number, purpose and a seed, under a key of its own"),
      ],
    },
    "An app can allow the service four or five digits. Whether the generator is an approved one depends on your Node.",
  ),
  met(["3.1.3.2 e", "shall", "Failed attempts are limited for secrets under 64 bits."], {
    places: ["limits/failures.ts"],
    tests: [...attempts("L2: evaluates exactly 5 of 100 parallel wrong codes"), ...guarantees(closedAfter100)],
  }),
  met(["3.1.3.2 f", "shall", "A new secret does not reset the count of failures."], {
    places: ["limits/failures.ts", "login/resend.ts"],
    tests: attempts(failuresStay),
  }),
  doesNotApply(["3.1.3.2 g", "should", "Push notifications are limited."], "The kit sends none."),
  forTheApp(
    ["3.1.3.3 a", "shall", "Codes over the telephone network are restricted: section 3.2.9 applies."],
    "See 3.2.9. It applies to SMS and voice.",
    { places: ["SECURITY.md"], tests: [] },
  ),
  forTheApp(
    ["3.1.3.3 b", "shall", "Setting or changing the number counts as binding a new authenticator."],
    "A link proves the new number, in the session that began it. The app puts it behind a guard: see 4.1.2.1.",
    {
      places: ["login/confirm.ts", "login/account.ts"],
      tests: purposes(
        "a link adds the number to the current account and calls onLink, not onLogin",
        "a link and a step-up need a session",
      ),
    },
  ),
  forTheApp(
    ["3.1.3.3 c", "shall", "Every user has an alternative, for places without a network."],
    "The kit has no other way to log in.",
    { places: ["SECURITY.md"], tests: [] },
  ),
  notMet(
    ["3.1.3.3 d", "should", "Signs of risk count before a code is sent: another SIM, another device, a ported number."],
    "The service does not report them. An app that knows them can refuse in `onLogin`, after a right code.",
    { places: ["login/callbacks.ts"], tests: [] },
  ),
  doesNotApply(
    ["3.1.3.4", "shall", "Out-of-band authenticators with several factors."],
    "A phone number is one factor.",
  ),
  forTheApp(
    ["3.2.1", "shall", "Users know how to protect the device, and a lost one is invalidated at once."],
    "The app refuses the number in `onLogin`, and `endAll` ends the sessions.",
    {
      places: ["sessions/sessions.ts"],
      tests: session("endAll ends every session of a user so far, and none of another user"),
    },
  ),
  partlyMet(
    ["3.2.2 a", "shall", "After at most 100 failures in a row the authenticator is disabled."],
    {
      places: ["limits/failures.ts"],
      tests: [
        ...guarantees(closedAfter100),
        ...attempts(failuresStay),
        ...codeLength("L4: of any number of wrong codes at once no more are checked than their length allows"),
      ],
    },
    "With `serviceCodes` it is. With `appCodes` codes have ten digits after 60 failures instead: the odds are smaller than those of " +
      "100 failures. A new first password starts the count of every number again, once.",
  ),
  notMet(
    ["3.2.2 b", "shall", "A disabled authenticator works again only after it was bound to the account anew."],
    "A closed number opens again after 400 days. `doorcode.limits.open` opens it earlier: the app has to know the person.",
    { places: ["limits/failures.ts"], tests: guarantees(closedAfter100) },
  ),
  partlyMet(
    ["3.2.2 c", "may", "Strangers are hindered from locking a user out."],
    {
      places: ["limits/failures.ts"],
      tests: [
        ...codeLength(
          "L5: strangers end no more than a login with a short code, and the next one of its browser logs in",
        ),
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
    "A device that has proven the number is never locked out by strangers. With `serviceCodes` another one is, after 100 failures, " +
      "which take hours.",
  ),
  met(["3.2.2 d", "should", "A successful login clears the failures before it."], {
    places: ["login/confirm.ts"],
    tests: attempts("L4: a completed login resets the failures counted for its number"),
  }),
  notMet(
    [
      "3.2.5",
      "shall",
      "Only cryptographic authentication counts as resistant to phishing, nothing that a person types in.",
    ],
    "A page that imitates yours can pass a code on while it is valid. No code is resistant to that.",
  ),
  forTheApp(
    [
      "3.2.9",
      "shall",
      "A restricted way needs an unrestricted one beside it, notice to users, a risk assessment, a plan to leave it.",
    ],
    "SECURITY.md has the facts for the notice and the assessment.",
    { places: ["SECURITY.md"], tests: [] },
  ),
  partlyMet(
    ["3.2.12", "shall", "Random values have a strength of 112 bits and come from an approved generator."],
    { places: ["sessions/session-records.ts", "login/transaction.ts"], tests: guarantees(ids) },
    "128 bits of `node:crypto`. Whether that is a validated module depends on your Node.",
  ),
  forTheApp(
    ["4.1.2.1 a", "shall", "Adding an authenticator takes a login of the account's own strength."],
    "Put the mount of a link behind `requireLogin(doorcode, { provenWithinSeconds })`.",
    {
      places: ["http/guard.ts"],
      tests: purposes("a link does not renew the proof of the account: an old proof stays old, a recent one recent"),
    },
  ),
  forTheApp(
    ["4.1.2.1 b", "shall", "The user is told of a new authenticator over another way."],
    "`onLink` is the place to do so.",
    { places: ["login/callbacks.ts"], tests: [] },
  ),
  met(["5.1 a", "shall", "The server issues the session's secret at the login."], {
    places: ["sessions/sessions.ts", "sessions/session-source.ts"],
    tests: session(
      "L20: a login starts a new session and ends the browser's old one",
      "L20: a login that an attacker planted in a browser does not log the attacker in",
    ),
  }),
  notMet(
    ["5.1 b", "should", "The secret does not outlive a restart of the browser."],
    "The cookie lasts as long as the session. `idleSeconds` bounds what a forgotten browser is worth.",
    { places: ["util/cookie.ts"], tests: session(cookies) },
  ),
  doesNotApply(
    ["5.1 c", "shall", "No cookie that remembers a browser takes the place of a login."],
    "There is none: when a session has ended, the number is proven again.",
  ),
  partlyMet(
    ["5.1 d", "shall", "The secret has 64 bits or more from an approved generator."],
    { places: ["sessions/session-records.ts"], tests: guarantees(ids) },
    "128 bits of `node:crypto`; for the generator see 3.2.12.",
  ),
  met(["5.1 e", "shall", "The secret is invalid after logging out."], {
    places: ["sessions/sessions.ts"],
    tests: session(loggedOut),
  }),
  forTheApp(
    ["5.1 f", "shall", "The secret travels over a protected channel only, and nothing between sees it."],
    "TLS is the app's, up to the process or to a proxy that you trust. The kit marks its cookies as Secure.",
    { places: ["util/cookie.ts", "options/origins.ts"], tests: [...session(cookies), ...options(httpsOnly)] },
  ),
  met(["5.1 g", "shall", "The secret is not accepted after the timeouts."], {
    places: ["sessions/session-records.ts"],
    tests: session(absolute, idle),
  }),
  met(["5.1 h", "should", "The secret is not kept where scripts can read it."], {
    places: ["util/cookie.ts"],
    tests: session(cookies),
  }),
  met(
    ["5.1 i", "shall", "A session never falls back to http."],
    { places: ["options/origins.ts", "util/cookie.ts"], tests: [...options(httpsOnly), ...session(cookies)] },
    "Redirects from http and `Strict-Transport-Security` are the app's.",
  ),
  notMet(
    ["5.1 j", "shall", "Each POST holds an identifier of the session, against forged requests."],
    "In its place the kit compares the origin that the browser states, and accepts JSON only from programs without one.",
    {
      places: ["http/origin.ts"],
      tests: [
        ...origins("the origin of a request to send a code"),
        ...scope("L22: posting the code of the attacker's login from the victim's browser logs nobody in"),
      ],
    },
  ),
  forTheApp(["5.1 k", "should", "Users can log out easily."], "The kit has `POST /logout`; pages are the app's.", {
    places: ["http/login-handlers.ts"],
    tests: session(loggedOut),
  }),
  met(["5.1.1 item 1", "shall", "Session cookies are sent over https only."], {
    places: ["util/cookie.ts"],
    tests: [
      ...session(cookies),
      ...chromium("keeps its cookies, which have the prefix __Host- and the attribute Secure, and logs in and out"),
    ],
  }),
  met(
    ["5.1.1 item 2", "shall", "Session cookies reach as few hosts and paths as practical."],
    { places: ["util/cookie.ts"], tests: session(cookies) },
    "One host, by the prefix; all of its paths, since the whole app needs the session.",
  ),
  met(["5.1.1 item 3", "should", "Scripts cannot read session cookies."], {
    places: ["util/cookie.ts"],
    tests: session(cookies),
  }),
  met(["5.1.1 item 4", "should", "Session cookies expire with the session, and the server does not rely on that."], {
    places: ["util/cookie.ts", "sessions/session-records.ts"],
    tests: session(cookies, absolute),
  }),
  met(["5.1.1 item 5", "should", "Session cookies have the prefix __Host- and the path /."], {
    places: ["util/cookie.ts"],
    tests: [...session(cookies), ...chromium("L22: a cookie that another address of the host has planted is not read")],
  }),
  met(["5.1.1 item 6", "should", "Session cookies are SameSite=Lax or Strict."], {
    places: ["util/cookie.ts"],
    tests: session(cookies),
  }),
  met(["5.1.1 item 7", "should", "Session cookies are opaque and hold nothing personal in clear text."], {
    places: ["sessions/session-cookie.ts"],
    tests: guarantees("a session cookie shows neither the user nor the session"),
  }),
  doesNotApply(["5.1.2", "shall", "Access tokens say nothing about the presence of the user."], "The kit issues none."),
  met(
    ["5.2 a", "shall", "A session ends at either timeout."],
    {
      places: ["sessions/session-records.ts"],
      tests: session(absolute, idle),
    },
    "The one for inactivity only with `session.idleSeconds`.",
  ),
  met(["5.2 b", "shall", "Use of the session resets the timeout for inactivity."], {
    places: ["sessions/session-records.ts"],
    tests: session(idle),
  }),
  met(["5.2 c", "shall", "A new proof, and nothing less, resets both timeouts."], {
    places: ["sessions/session-source.ts"],
    tests: [
      ...guarantees("a step-up starts a session with a whole lifetime, and ends the one before it"),
      ...purposes("a link does not make the session longer"),
    ],
  }),
  forTheApp(
    ["5.2 d", "shall", "Both timeouts are documented."],
    "The kit documents its defaults; the app documents its own.",
    { places: ["SECURITY.md", "options/doorcode-options.ts"], tests: [] },
  ),
  forTheApp(
    ["5.3", "may", "Sessions are watched for signs of fraud."],
    "`session.list` shows start, last use and label; `onEvent` shows what happens to logins.",
    {
      places: ["sessions/sessions.ts"],
      tests: session("the sessions of a user are listed, the newest first, with start, last use, proof and label"),
    },
  ),
];

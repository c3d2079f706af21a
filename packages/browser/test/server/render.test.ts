import { en } from "@doorcode/browser/element";
import { type RenderOptions, renderPhoneLogin } from "@doorcode/browser/server";
import { describe, expect, test } from "vitest";

const offer: RenderOptions["offer"] = {
  countries: [{ country: "DE", callingCode: "49", example: "01512 3456789" }],
  codeLength: 6,
};
const none = { status: "none", version: "0" } as const;
const loggedIn = { status: "logged_in", version: "2", userId: "u" } as const;
const codeSent = {
  status: "code_sent",
  version: "1",
  transaction: "k3f9Qx2a",
  phone: "+49 ••• ••• 6789",
  expiresInSeconds: 300,
  resendInSeconds: 30,
  attemptsLeft: 5,
  checkInSeconds: 0,
  channels: ["SMS", "WHATSAPP"],
  codeLength: 6,
  delivery: null,
} as const;
const verified = {
  status: "verified",
  version: "2",
  phone: "+49 ••• ••• 6789",
  proof: "Fe26.2*AbC~2",
  expiresInSeconds: 600,
} as const;
const render = (options: Partial<RenderOptions> = {}) =>
  renderPhoneLogin({ state: none, offer, basePath: "/login", ...options });

const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>'&`;
/** A tag as the package writes them. */
const ownTag = /<\/?(?!img|script)[a-z]+(?:-[a-z]+)?(?: (?!on)[a-z-]+(?:="[^"<>]*")?)*>/g;

describe("a hostile value is nothing but text", () => {
  const cases: readonly [what: string, options: Partial<RenderOptions>][] = [
    ["the query's problem", { query: { problem: hostile } }],
    ["the query's time", { query: { problem: "cooldown", retryAfterSeconds: hostile } }],
    ["the query's next", { query: { next: `/${hostile}` } }],
    ["next", { next: `/${hostile}` }],
    ["done", { done: `/${hostile}` }],
    ["the path of the mount", { basePath: `/${hostile}` }],
    ["the language", { lang: hostile }],
    ["the number", { state: { ...codeSent, phone: hostile } }],
    ["the whole number", { state: { ...codeSent, number: hostile } }],
    ["the proof and its form", { purpose: "verify", state: { ...verified, proof: hostile }, form: hostile }],
    ["the transaction", { state: { ...codeSent, transaction: hostile } }],
    ["a channel", { state: { ...codeSent, channels: [hostile, "SMS"] } }],
    [
      "a delivery",
      { state: { ...codeSent, delivery: { status: "sent", attempts: [{ channel: hostile, status: "sent" }] } } },
    ],
    ["an example", { offer: { ...offer, countries: [{ country: "DE", callingCode: hostile, example: hostile }] } }],
    ["words of the app", { strings: { intro: { login: hostile }, phone: hostile, send: hostile } }],
    [
      "the links of the consent",
      { consent: { terms: `/${hostile}`, privacy: `https://${hostile}`, countries: ["DE"] } },
    ],
    ["words around the number", { state: codeSent, strings: { sentTo: `${hostile} {phone}`, noCode: hostile } }],
  ];

  test.each(cases)("%s", (_, options) => {
    const html = render(options);
    // Without the package's own tags nothing is left that could be one.
    expect(html.replace(ownTag, "")).not.toMatch(/[<>"]/);
    expect(html.match(/<phone-login/g)).toHaveLength(1);
  });
});

test.each<[option: string, options: object]>([
  ["state", { state: undefined }],
  ["state", { state: Promise.resolve(none) }],
  ["offer", { offer: undefined }],
  ["basePath", { basePath: undefined }],
  ["consent.terms", { consent: { terms: "javascript:alert(1)" } }],
  ["consent.privacy", { consent: { privacy: "//evil.example/privacy" } }],
])("a wrong %s is named, with the fix", (option, options) => {
  expect(() => render(options)).toThrow(new RegExp(`^renderPhoneLogin: ${option}: expected `));
});

test.each([undefined, null, "", "problem=cooldown", []])("a query that is %j holds nothing", (query) => {
  expect(render({ query })).toBe(render());
});

test("only the app's own challenge is HTML", () => {
  expect(render({ challenge: '<div class="captcha"></div>' })).toContain(
    '<div part="challenge"><div class="captcha"></div></div>',
  );
});

describe("next", () => {
  test.each([["/account?tab=1"], ["/a/../b"]])("%j is kept", (next) => {
    expect(render({ query: { next } })).toMatch(/ next="\//);
  });

  test.each([
    ["//evil.example"],
    ["https://evil.example"],
    ["javascript:alert(1)"],
    ["/\\evil.example"],
    [["/a", "/b"]],
  ])("%j, which leads to another site, is left out", (next) => {
    expect(render({ query: { next } })).not.toMatch(/ next=|name="next"/);
  });
});

test("done, which the app itself gives, leads to no other site either", () => {
  expect(render({ done: "/account" })).toContain(' done="/account"');
  expect(render({ done: "//evil.example" })).not.toContain(" done=");
});

test("nothing of the user and nothing but the page's own state is in the attributes", () => {
  const user = { email: "ada@example.com", phone: "+4915123456789" };
  const html = render({ state: { ...codeSent, userId: "user-17", user } });
  expect(html).not.toMatch(/ada@|user-17|15123456789/);
  expect(render({ state: { ...loggedIn, userId: "user-17", user, result: "token" } })).not.toMatch(
    /ada@|user-17|token/,
  );
});

test("the problem of a redirected form is shown with the time to wait", () => {
  const html = render({ query: { problem: "send_limit_reached", retryAfterSeconds: "720" } });
  expect(html).toMatch(/role="alert">Too many codes were sent to this number. Try again in 12 minutes.</);
});

test("a person who is logged in sees no problem of a number or a code, but that of logging out", () => {
  const done = (problem: string) => render({ state: loggedIn, query: { problem } });
  for (const problem of ["code_rejected", "newer_code_sent", "phone_invalid", "no_transaction"]) {
    expect(done(problem)).not.toContain('role="alert"');
    expect(done(problem)).toContain("You are logged in.");
  }
  expect(done("store_unavailable")).toContain('role="alert"');
});

test.each(["constructor", "__proto__", "toString", "<b>", "A".repeat(100), 5, ["phone_invalid"]])(
  "a made-up problem %j is no mistake of the page",
  (problem) => {
    expect(() => render({ query: { problem } })).not.toThrow();
  },
);

test.each(["<b>", "A".repeat(100), "a".repeat(41), 5, ["phone_invalid"]])(
  "a text %j that no problem has is left out",
  (problem) => {
    expect(render({ query: { problem } })).toBe(render());
  },
);

test("two mounts on one page have different ids", () => {
  const ids = (basePath: string) => [...render({ basePath }).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids("/login").length).toBeGreaterThan(1);
  expect(ids("/login").filter((id) => ids("/step-up").includes(id))).toEqual([]);
});

test("every purpose has its words, and a step-up asks for no number", () => {
  expect(render()).toContain("Enter your phone number.");
  expect(render({ purpose: "link" })).toContain("Enter the phone number to add.");
  expect(render({ purpose: "step_up" })).not.toContain('type="tel"');
  expect(render({ purpose: "link", state: codeSent })).toContain(">Add number</button>");
});

test("the code field is described by where the code was sent", () => {
  const html = render({ state: codeSent });
  expect(html).toMatch(/<p part="intro" id="phone-login-code-sent">We sent a code to /);
  expect(html).toContain('aria-describedby="phone-login-code-sent phone-login-code-hint"');
});

test("the problem of a refused code is said with what is true now", () => {
  const query = { problem: "code_rejected" };
  expect(render({ state: codeSent, query })).toContain("That code is incorrect. You have 5 attempts left.");
  expect(render({ query })).toContain("This code is no longer valid. Request a new code.");
  expect(render({ state: codeSent, query: { problem: "code_malformed" } })).not.toContain("attempts left");
  expect(render({ query: { problem: "service_unavailable" } })).not.toContain("no longer valid");
});

test("the number of a login may be a passkey as well, where an app asks for one, and that of a link may not", () => {
  expect(render()).toContain('autocomplete="tel webauthn"');
  expect(render({ purpose: "link" })).toContain('autocomplete="tel"');
});

test("the page begins anew where a link or a step-up has a session already", () => {
  expect(render({ state: loggedIn })).toContain("You are logged in.");
  expect(render({ state: loggedIn, purpose: "step_up" })).toContain("Send code");
  expect(render({ state: loggedIn, purpose: "link" })).toContain('type="tel"');
});

test("a proof is a hidden field of the app's own form, beside the way to another number", () => {
  const html = render({ state: verified, purpose: "verify", form: "order", basePath: "/verify" });
  expect(html).toContain('<input type="hidden" name="proof" value="Fe26.2*AbC~2" form="order">');
  expect(html.replace(/<.*?>/g, "")).toContain("Your number +49 ••• ••• 6789 is confirmed.");
  expect(html).toContain('action="/verify/cancel"');
  expect(html).not.toContain("logout");
});

test("the words are those of the language, and the app's own", () => {
  expect(render({ lang: "de-CH" })).toContain("Gib deine Telefonnummer ein.");
  expect(render({ lang: "fr", strings: { send: "Envoyer le code" } })).toContain(">Envoyer le code</button>");
  expect(render({ lang: "not a language" })).toContain("Enter your phone number.");
});

describe("the line of consent", () => {
  const offerOf = (...countries: string[]) => ({
    ...offer,
    countries: countries.map((country) => ({ country, callingCode: "1", example: "201 555 0123" })),
  });
  const line = (options: Partial<RenderOptions> = {}) => / part="hint consent".*?<\/p>/.exec(render(options))?.[0];
  const versionIn = (html = "") => / name="consent" value="([0-9a-f]{16})"/.exec(html)?.[1];

  test("stands below the number where people of the USA or Canada may log in, and nowhere else", () => {
    expect(line({ offer: offerOf("US") })).toContain(en.consent);
    expect(line({ offer: offerOf("DE", "CA") })).toContain(en.consent);
    expect(line({ offer: offerOf("DE", "FR") })).toBeUndefined();
    expect(line({ offer: offerOf("US"), purpose: "step_up" })).toBeUndefined();
  });

  test("is for other countries if the app says so, and none if it wants none", () => {
    expect(line({ consent: { countries: ["DE"] } })).toContain(en.consent);
    expect(line({ offer: offerOf("US"), consent: false })).toBeUndefined();
  });

  test("is hidden while another country is chosen, and a form without a script sends its version all the same", () => {
    const html = line({ offer: offerOf("DE", "US"), lang: "de" });
    expect(html).toContain(" hidden>");
    expect(versionIn(html)).toBeDefined();
    expect(line({ offer: offerOf("DE", "US"), lang: "en-US" })).not.toContain(" hidden>");
  });

  test("links what the app names, and has another version for each wording", () => {
    const consent = { terms: "/terms", privacy: "https://example.com/privacy" };
    const html = line({ offer: offerOf("US"), consent });
    expect(html).toContain('<a href="/terms" target="_blank" rel="noopener">Terms</a>');
    expect(html).toContain('<a href="https://example.com/privacy" target="_blank" rel="noopener">Privacy policy</a>');
    const wordings: Partial<RenderOptions>[] = [
      {},
      { consent },
      { lang: "fr" },
      { strings: { consent: "Texts cost." } },
    ];
    const versions = wordings.map((options) => versionIn(line({ offer: offerOf("US"), ...options })));
    expect(new Set(versions).size).toBe(4);
    expect(versions).not.toContain(undefined);
  });
});

test.each(["//evil.example/login", "/\\evil.example/login", "///evil.example/login/"])(
  "a mount at %s posts to this site: its path begins with one slash",
  (basePath) => {
    const actions = [...render({ basePath }).matchAll(/ action="([^"]+)"/g)].map(([, action]) => action);
    expect(actions).toEqual(["/evil.example/login/start"]);
  },
);

test("the link that asks for the delivery has the query of the page without its problem", () => {
  const query = { next: "/inbox", tab: "1", problem: "cooldown", retryAfterSeconds: "30" };
  const [, href] = / part="check-link" href="([^"]+)"/.exec(render({ state: codeSent, query })) ?? [];
  expect(href).toBe("?next=%2Finbox&#38;tab=1");
});

test("the element gets neither the user nor the number that was typed", () => {
  const typed = { phone: "0151 23456789", country: "DE" };
  const [, initial = ""] = / data-initial="([^"]+)"/.exec(render({ state: { ...none, typed } as never })) ?? [];
  expect(initial).toContain("status");
  expect(initial).not.toContain("23456789");
});

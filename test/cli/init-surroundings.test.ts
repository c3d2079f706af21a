import { styleText } from "node:util";
import { describe, expect, test } from "vitest";
import { jsonwebtokenApp, passportApp, passportJwtApp } from "./apps-with-logins.ts";
import { initApp } from "./init-app.ts";
import { runInTerminal } from "./run-cli.ts";
import { readApp, type SampleApp, sampleApps, writeApp } from "./sample-apps.ts";

const express = sampleApps["Express 5, ESM"];

const styled = (format: "green", text: string) => styleText(format, text, { validateStream: false });

/** An Express app in one file, with these statements below the app. */
const appWith = (statements: string, more: Partial<SampleApp["manifest"]> = {}): SampleApp => ({
  ...express,
  manifest: { ...express.manifest, ...more },
  entry: "src/index.js",
  files: { "src/index.js": `import express from "express";\nconst app = express();\n${statements}\n` },
});

/** What init says, without a terminal. */
async function outputOf(sample: SampleApp, files: SampleApp["files"] = {}): Promise<string> {
  const { output } = await initApp(sample, files);
  return output;
}

const kitSession = "session: { password: process.env.SESSION_PASSWORD }";

describe("the port that init finds", () => {
  test.each([
    { title: "app.set", sample: passportApp, port: 8080 },
    { title: "a module of settings", sample: passportJwtApp, port: 3030 },
    {
      title: "an option of a script",
      sample: appWith("", { scripts: { dev: "vite-node src/index.js --port 4444" } }),
      port: 4444,
    },
    {
      title: "a variable in a script",
      sample: appWith("app.listen(process.env.PORT || 3000);", { scripts: { dev: "PORT=4444 nodemon src/index.js" } }),
      port: 4444,
    },
  ])("is that of $title", async ({ sample, port }) => {
    expect(await outputOf(sample)).toContain(`--webhook-url http://localhost:${port}/webhooks `);
  });

  test("is that of the .env file, and not the default in the code", async () => {
    const output = await outputOf(passportApp, { ".env": "PORT=9090\n" });
    expect(output).toContain("--webhook-url http://localhost:9090/webhooks ");
  });
});

describe("the script that init writes", () => {
  const notLoaded = "Nothing in your app loads .env.";

  test.each([
    { start: "tsx watch src/index.ts", runs: "tsx watch --env-file=.env src/index.ts" },
    { start: "tsc && node src/index.js", runs: "npm run start" },
    { start: "node build.js && node src/index.js", runs: "npm run start" },
  ])("loads .env for $start if nothing else does", async ({ start, runs }) => {
    const output = await outputOf(appWith("", { scripts: { start } }));
    expect(output).toContain(` -- ${runs}"`);
    expect(output).toContain(notLoaded);
  });

  test.each([
    { by: "an option of Node", statements: "", start: "node --env-file=.env src/index.js" },
    { by: "dotenv", statements: 'import "dotenv/config";', start: "node src/index.js" },
    { by: "Node's own function", statements: "process.loadEnvFile();", start: "node src/index.js" },
  ])("leaves it to $by", async ({ statements, start }) => {
    const output = await outputOf(appWith(statements, { scripts: { start } }));
    expect(output).toContain(' -- npm run start"');
    expect(output).not.toContain(notLoaded);
  });

  test.each(["dotenv.config({ path: '.env.local' })", "process.loadEnvFile('.env.local')"])(
    "names the other file that the app loads with %s",
    async (loads) => {
      const text = jsonwebtokenApp.files["index.ts"]?.replace("dotenv.config()", loads) ?? "";
      const output = await outputOf(jsonwebtokenApp, { "index.ts": text });
      expect(output).toContain("Your app loads .env.local, and not .env");
    },
  );
});

describe("the sessions that init cannot tell", () => {
  const session = 'import session from "express-session";\napp.use(session({ secret: "s" }));';

  const jwt =
    'import jwt from "jsonwebtoken";\napp.post("/t", (req, res) => res.json(jwt.sign({ sub: req.user.id }, process.env.KEY)));';

  test("are the first ones of several without a terminal, and a note says so", async () => {
    const { output } = await initApp(appWith(`${session}\n${jwt}`));
    expect(output).toContain("Your app has several logins. This one uses the sessions of express-session.");
    expect(output).toContain('+app.use("/login", phoneLogin(doorcode, { session: sessions }));');
  });

  test.each([
    { number: "2", written: "jwt.sign({ sub: userId }, process.env.KEY)" },
    { number: "3", written: kitSession },
  ])("are those that the developer chooses in a terminal: $number", async ({ number, written }) => {
    const folder = writeApp(appWith(`${session}\n${jwt}`));
    const answers = { "\nNumber: ": number, "at /login? [Y/n] ": "", "Make these changes? [y/N] ": "y" };
    const { code, output } = await runInTerminal(["init", folder, "--no-install"], answers);

    expect(code).toBe(0);
    expect(readApp(folder)["src/doorcode.js"]).toContain(written);
    // In a terminal, the login page is offered, and the changes have colors.
    expect(readApp(folder)["src/index.js"]).toContain("page: loginPage()");
    expect(output).toContain(`${styled("green", '+import { loginPage } from "@doorcode/browser/server";')}\n`);
  });

  test("are mounted where a session is required in place", async () => {
    const sample = sampleApps["Express 4, CommonJS"];
    const required = "app.use(require('express-session')({ secret: 's' }))";
    const text = sample.files["server.js"].replace("app.use(express.json())", required);
    const { after } = await initApp({ ...sample, files: { "server.js": text } });
    expect(after["server.js"]).toContain(`${required}
app.use('/login', phoneLogin(doorcode, { session: sessions }))
`);
  });

  test.each([
    {
      title: "tokens that a function with more than the id makes",
      statements:
        'import jwt from "jsonwebtoken";\nexport const createToken = (user) => jwt.sign({ id: user.id, email: user.email }, process.env.KEY);',
    },
    {
      title: "tokens in a cookie",
      statements:
        'import jwt from "jsonwebtoken";\napp.get("/t", (req, res) => res.cookie("jwt", jwt.sign({ sub: req.user.id }, process.env.KEY)));',
    },
    {
      title: "tokens in a cookie after a status",
      statements:
        'import jwt from "jsonwebtoken";\napp.get("/t", (req, reply) => reply.status(200).cookie("jwt", jwt.sign({ sub: req.user.id }, process.env.KEY)));',
    },
    {
      title: "tokens with a secret that is not in the environment",
      statements:
        'import jwt from "jsonwebtoken";\napp.get("/t", (req, res) => res.json(jwt.sign({ sub: req.user.id }, readKey())));',
    },
    {
      title: "an old Passport",
      dependencies: { express: "^5.0.0", passport: "^0.5.3" },
      statements: `${session}\nimport passport from "passport";\napp.use(passport.session());`,
    },
    {
      title: "cookie-session",
      statements: 'import cookieSession from "cookie-session";\napp.use(cookieSession({}));',
    },
  ])("are those of the kit for $title, and a note says so", async ({ statements, dependencies }) => {
    const output = await outputOf(appWith(statements, dependencies ? { dependencies } : {}));
    expect(output).toContain(kitSession);
    expect(output).toMatch(
      /Your app uses .*, for which init writes no sessions\. This login uses the kit's own sessions/,
    );
  });

  test("keep what the app's session has beside the id to a note", async () => {
    const output = await outputOf(appWith(`${session}\napp.post("/in", (req) => { req.session.user = req.body; });`));
    expect(output).toContain("Your app keeps session.user: set it in sessions.start");
  });

  test("have the member of the user that serializeUser keeps", async () => {
    const passport =
      'import passport from "passport";\npassport.serializeUser((user, done) => done(null, user._id));\napp.use(passport.session());';
    const output = await outputOf(appWith(`${session}\n${passport}`));
    expect(output).toContain("req.logIn({ _id: userId }, done)");
    expect(output).not.toContain("Your serializeUser needs more than the id");
  });

  test("say that serializeUser keeps more than the id", async () => {
    const passport =
      'import passport from "passport";\npassport.serializeUser((user, done) => done(null, user));\napp.use(passport.session());';
    const output = await outputOf(appWith(`${session}\n${passport}`));
    expect(output).toContain("Your serializeUser needs more than the id");
  });
});

describe("the places of the mounts that are not plain", () => {
  test("stay below CSRF protection's own variable, which protects nothing yet", async () => {
    const output = await outputOf(
      appWith(
        'import session from "express-session";\nimport csrf from "csurf";\nconst csrfProtection = csrf();\napp.use(session({ secret: "s" }));\napp.use(csrfProtection);',
      ),
    );
    expect(output).toContain(` app.use(session({ secret: "s" }));
+app.use("/login", phoneLogin(doorcode, { session: sessions }));
 app.use(csrfProtection);
`);
  });

  test.each([
    {
      title: "CSRF protection above the session",
      statements:
        'import session from "express-session";\nimport csrf from "csurf";\napp.use(csrf());\napp.use(session({ secret: "s" }));',
    },
    {
      title: "CSRF protection of another name above the session",
      statements:
        'import session from "express-session";\nimport { doubleCsrf } from "csrf-csrf";\nconst { doubleCsrfProtection } = doubleCsrf({});\napp.use(doubleCsrfProtection);\napp.use(session({ secret: "s" }));',
    },
    {
      title: "a session that another file installs",
      statements:
        'import session from "express-session";\nimport install from "./install.js";\nexport const keep = session({ secret: "s" });\ninstall(app, keep);',
    },
  ])("are printed with $title", async ({ statements }) => {
    const output = await outputOf(appWith(statements));
    expect(output).not.toContain("+++ src/index.js");
    expect(output).toContain("above every body parser, the login below the session and above CSRF protection:");
    expect(output).toContain('  app.use("/login", phoneLogin(doorcode, { session: sessions }));');
  });
});

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requireLogin } from "@doorcode/express";
import express, { type Express, type Request, type Response, Router } from "express";
import { rateLimit } from "express-rate-limit";
import { browserName } from "../express-login/kit.ts";
import type { User } from "./accounts.ts";
import { challengeSeconds } from "./challenges.ts";
import { type Kit, recentProof } from "./kit.ts";
import { passkeysPage } from "./pages.ts";

const script = readFileSync(join(import.meta.dirname, "browser.js"), "utf8");

/** The modules of the library for browsers, as they are: no bundler is needed. */
const library = fileURLToPath(new URL(".", import.meta.resolve("@simplewebauthn/browser")));

const problems: Readonly<Record<string, string>> = {
  last_way_in:
    "This passkey is the last way into your account. Add a number, or another passkey, before you remove it.",
  unknown: "This passkey was removed already.",
};

/** Adds the endpoints of the passkeys below `/passkeys`, and the page on which they are added and removed. */
export function mountPasskeys(app: Express, { doorcode, accounts, ceremonies, origins, clock }: Kit): void {
  const passkeys = Router();
  app.use("/passkeys", passkeys);
  passkeys.get("/browser.js", (_req, res) => void res.type("text/javascript").send(script));
  passkeys.use("/library", express.static(library));

  const needsLogin = requireLogin(doorcode);
  const needsProof = requireLogin(doorcode, recentProof);
  passkeys.get("/", needsProof, (req, res) => {
    res.send(passkeysPage(accounts.passkeysOf(req.doorcode.userId), problems[String(req.query.problem)] ?? ""));
  });

  // POSTs come from the app's own pages only: another site must not log its visitors in or out, or remove their passkeys.
  passkeys.post("/*path", (req, res, next) => {
    if (origins.includes(req.get("origin") ?? "")) return next();
    return refuse(res, 403, "foreign_origin", "This request does not come from a page of this site.");
  });
  // Each of them costs a row or a signature. Behind a proxy, set `trust proxy` to its address.
  passkeys.post("/*path", rateLimit({ windowMs: 60_000, limit: 30, standardHeaders: true, legacyHeaders: false }));
  const challengeCookie = createChallengeCookie(origins.every((origin) => origin.startsWith("https:")));
  const json = express.json();

  /** Starts a session that the passkey has proven, in place of the one that the browser had. */
  async function logIn(req: Request, res: Response, userId: string): Promise<void> {
    const label = browserName(String(req.get("user-agent")));
    const { setCookie } = await doorcode.session.start({ userId, provenAt: clock.now(), by: "passkey", label });
    // The new session has a new id. The one before ends in the store too: it may be copied, or somebody else's.
    await doorcode.session.end(req);
    res.append("set-cookie", setCookie).json({});
  }

  passkeys.post("/sign-in/options", async (req, res) => {
    res.json(await ceremonies.beginSignIn(challengeCookie.give(req, res)));
  });
  passkeys.post("/sign-in", json, async (req, res) => {
    const userId = await ceremonies.finishSignIn(challengeCookie.read(req), req.body);
    return userId === undefined ? refusePasskey(res) : logIn(req, res, userId);
  });

  passkeys.post("/step-up/options", needsLogin, async (req, res) => {
    res.json(await ceremonies.beginSignIn(challengeCookie.give(req, res), req.doorcode.userId));
  });
  passkeys.post("/step-up", needsLogin, json, async (req, res) => {
    const userId = await ceremonies.finishSignIn(challengeCookie.read(req), req.body, req.doorcode.userId);
    return userId === undefined ? refusePasskey(res) : logIn(req, res, userId);
  });

  passkeys.post("/registration/options", needsProof, async (req, res) => {
    const user = userOf(req.doorcode.userId);
    res.json(await ceremonies.beginRegistration(user, challengeCookie.give(req, res)));
  });
  passkeys.post("/registration", needsProof, json, async (req, res) => {
    const user = userOf(req.doorcode.userId);
    const name = browserName(String(req.get("user-agent")));
    // A real app tells the user of the new passkey here, over another way.
    const isAdded = await ceremonies.finishRegistration(user, challengeCookie.read(req), req.body, name);
    return isAdded ? res.json({}) : refusePasskey(res);
  });

  passkeys.post("/removal", needsProof, express.urlencoded({ extended: false }), async (req, res) => {
    const answer = accounts.removePasskey(req.doorcode.userId, String(req.body?.id));
    // The device may be in other hands, and logged in.
    if (answer === "removed") await doorcode.session.endOthers(req);
    res.redirect(303, answer === "removed" ? "/passkeys" : `/passkeys?problem=${answer}`);
  });

  function userOf(userId: string): User {
    const user = accounts.get(userId);
    if (!user) throw new Error("A session belongs to a user who does not exist.");
    return user;
  }
}

function refusePasskey(res: Response): void {
  refuse(res, 400, "passkey_refused", "The passkey was not accepted.");
}

function refuse(res: Response, status: number, code: string, title: string): void {
  res.status(status).json({ status, code, title });
}

/** The cookie that binds a challenge to the browser that has asked for it. */
function createChallengeCookie(isSecure: boolean) {
  const name = isSecure ? "__Host-passkey-browser" : "passkey-browser";
  const form = new RegExp(`(?:^|; )${name}=([\\w-]{43})(?:;|$)`);
  const read = (req: Request) => form.exec(req.get("cookie") ?? "")?.[1] ?? "";
  return {
    read,
    /** Gives the browser its id, or the same one for longer: two tabs may wait for a passkey. */
    give(req: Request, res: Response): string {
      const id = read(req) || randomBytes(32).toString("base64url");
      res.cookie(name, id, {
        httpOnly: true,
        sameSite: "strict",
        secure: isSecure,
        path: "/",
        maxAge: challengeSeconds * 1000,
      });
      return id;
    },
  };
}

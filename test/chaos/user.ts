import { setTimeout as pause } from "node:timers/promises";
import type { Inbox } from "@doorcode/sandbox";
import { type Answer, type Browser, openBrowser } from "../support/browser.ts";

/** A login that is complete. */
export interface LoggedIn {
  readonly phone: string;
  /** How often the user asked for a code, not counting repeats of a request that got no answer. */
  readonly codes: number;
  /** Requests that failed on the way: without an answer, or with 5xx. */
  readonly failures: number;
  /** A right code was refused, although no confirmation with it had failed before. */
  readonly refusedForNothing: boolean;
  /** Reads the guarded page, again and again until it answers. */
  readAccount(): Promise<string>;
}

/** A simulated user, who logs in and does not give up when the app fails. */
export interface User {
  /** Asks for a code until one arrives. */
  start(): Promise<void>;
  /** Enters the code until the login is complete, and asks for another one when it is refused. */
  confirm(): Promise<LoggedIn>;
}

/** Options of {@link createUser}. */
export interface UserOptions {
  readonly phone: string;
  readonly inbox: Inbox;
  /** Answers the process of the next request: another one each time, as behind a load balancer without sticky sessions. */
  readonly nextUrl: () => string;
  /** Called for every answer, and for every request that gets none. */
  readonly onAnswer: () => void;
}

const maxTries = 600;
const maxCodes = 10;
/** A login has five attempts. */
const maxEntered = 4;
const retryMilliseconds = 100;

/** Creates a user with a phone and a browser. */
export function createUser({ phone, inbox, nextUrl, onAnswer }: UserOptions): User {
  const cookies = new Map<string, string>();
  let [codes, failures, refusedForNothing] = [0, 0, false];
  let seen: string | undefined;
  let started: Promise<void> | undefined;

  /** Sends one request, and again until the answer is no failure. */
  async function ask(send: (browser: Browser) => Promise<Answer>): Promise<Answer> {
    for (let tries = 0; tries < maxTries; tries++) {
      const answer = await send(openBrowser(nextUrl(), cookies)).catch(() => undefined);
      onAnswer();
      if (answer && answer.status < 500) return answer;
      failures++;
      await pause(retryMilliseconds);
    }
    throw new Error("The app does not come back.");
  }

  async function askForCode(): Promise<void> {
    codes++;
    const { status, text } = await ask((browser) => browser.post("/login/start", { phone }));
    if (status !== 200) throw new Error(`No code: ${text}`);
    seen = (await inbox.wait({ to: phone, after: seen, timeoutSeconds: 60 })).id;
  }

  /** Enters the codes that came, the newest first: of two codes that were asked for, either may be right. */
  async function enterCodes(): Promise<boolean> {
    const before = failures;
    const received = inbox.list({ to: phone }).flatMap(({ code }) => code ?? []);
    for (const code of received.reverse().slice(0, maxEntered)) {
      const { status, json } = await ask((browser) => browser.post("/login/confirm", { code }));
      if (status === 200) return true;
      if (json.code !== "code_rejected") break;
    }
    refusedForNothing ||= failures === before;
    return false;
  }

  async function readAccount(): Promise<string> {
    const { status, json, text } = await ask((browser) => browser.get("/account"));
    return status === 200 ? String(json.id) : `${status} ${text}`;
  }

  return {
    start() {
      started = askForCode();
      return started;
    },
    async confirm() {
      await started;
      while (!(await enterCodes())) {
        if (codes === maxCodes) throw new Error("No code was good enough.");
        await askForCode();
      }
      return { phone, codes, failures, refusedForNothing, readAccount };
    },
  };
}

import { setTimeout as pause } from "node:timers/promises";
import type { Inbox } from "@doorcode/sandbox";
import { type Answer, type Browser, openBrowser } from "../support/browser.ts";

/** How a login came to its end. */
export interface LoggedIn {
  readonly phone: string;
  /** How often this person asked for a code, beside asking again because no answer came. */
  readonly codes: number;
  /** Requests that failed on the way: no answer, or one of 5xx. */
  readonly failures: number;
  /** A right code that was refused, although no confirmation with it had failed before. */
  readonly refusedForNothing: boolean;
  /** Asks the guarded page whose account it is, again and again until it answers. */
  readAccount(): Promise<string>;
}

/** Somebody who logs in, and does not give up when the app fails. */
export interface Person {
  /** Asks for a code until one is there. */
  start(): Promise<void>;
  /** Types the code until the login stands; asks for another code where it is refused. */
  confirm(): Promise<LoggedIn>;
}

/** What a person deals with. */
export interface PersonParts {
  readonly phone: string;
  readonly inbox: Inbox;
  /** The process that a request goes to: another one each time, as behind a proxy that knows of no sessions. */
  readonly nextUrl: () => string;
  /** Hears of every answer, and of none. */
  readonly onAnswer: () => void;
}

const maxTries = 300;
const maxCodes = 10;
/** A login has five attempts. */
const maxTyped = 4;
const patienceMilliseconds = 200;

/** Creates a person with a phone and a browser. */
export function createPerson({ phone, inbox, nextUrl, onAnswer }: PersonParts): Person {
  const cookies = new Map<string, string>();
  let [codes, failures, refusedForNothing] = [0, 0, false];
  let seen: string | undefined;
  let started: Promise<void> | undefined;

  /** One request, sent again until it is answered by something else than a failure. */
  async function ask(send: (browser: Browser) => Promise<Answer>): Promise<Answer> {
    for (let tries = 0; tries < maxTries; tries++) {
      const answer = await send(openBrowser(nextUrl(), cookies)).catch(() => undefined);
      onAnswer();
      if (answer && answer.status < 500) return answer;
      failures++;
      await pause(patienceMilliseconds);
    }
    throw new Error("The app does not come back.");
  }

  async function askForCode(): Promise<void> {
    codes++;
    const { status, text } = await ask((browser) => browser.post("/login/start", { phone }));
    if (status !== 200) throw new Error(`No code: ${text}`);
    seen = (await inbox.wait({ to: phone, after: seen, timeoutSeconds: 60 })).id;
  }

  /** Types what came, the newest first: of two codes that were asked for, either may be the one that is right. */
  async function typeCodes(): Promise<boolean> {
    const before = failures;
    const received = inbox.list({ to: phone }).flatMap(({ code }) => code ?? []);
    for (const code of received.reverse().slice(0, maxTyped)) {
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
      while (!(await typeCodes())) {
        if (codes === maxCodes) throw new Error("No code was good enough.");
        await askForCode();
      }
      return { phone, codes, failures, refusedForNothing, readAccount };
    },
  };
}

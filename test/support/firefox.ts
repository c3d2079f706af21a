import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const usual = ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"];

/** Finds Firefox: at `FIREFOX_PATH`, or in one of the usual places. */
export function findFirefox(): string | undefined {
  return process.env.FIREFOX_PATH ?? usual.find((path) => existsSync(path));
}

/** A page in Firefox. */
export interface FirefoxPage {
  /** Opens an address, and waits until it is loaded. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page. Its value must be a text, a number, a truth value or nothing. */
  evaluate(expression: string): Promise<unknown>;
  /** Types into the element that has the focus; `\uE007` is the enter key. */
  type(text: string): Promise<void>;
}

/** A running Firefox, driven by WebDriver BiDi. The library that drives Chromium cannot drive an ordinary Firefox. */
export interface Firefox {
  /** Opens a page with cookies of its own. */
  open(): Promise<FirefoxPage>;
  /** What pages have written to their consoles as errors. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Starts Firefox without a window, with an empty profile. */
export async function startFirefox(path: string): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), "doorcode-firefox-"));
  // Firefox must ask no other machine for anything.
  const offline = [
    "app.normandy.enabled",
    "datareporting.healthreport.uploadEnabled",
    "network.captive-portal-service.enabled",
  ];
  writeFileSync(join(profile, "user.js"), offline.map((name) => `user_pref("${name}", false);\n`).join(""));
  const program = spawn(path, ["--headless", "--remote-debugging-port=0", "--profile", profile, "--no-remote"]);
  const session = await openSession(await addressOf(program));
  return {
    errors: session.errors,
    async open() {
      const { userContext } = await session.send("browser.createUserContext", {});
      const { context } = await session.send("browsingContext.create", { type: "tab", userContext });
      return createPage(session, context);
    },
    async close() {
      program.kill();
      await once(program, "exit");
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Reads the address at which Firefox listens from what it prints. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  let printed = "";
  for await (const chunk of stderr ?? []) {
    printed += chunk;
    const [, address] = /listening on (ws:\S+)/.exec(printed) ?? [];
    if (address !== undefined) return `${address}/session`;
  }
  throw new Error(`Firefox did not start: ${printed}`);
}

interface Session {
  readonly errors: string[];
  // biome-ignore lint/suspicious/noExplicitAny: each method of the protocol has an answer of its own.
  send(method: string, params: object): Promise<any>;
}

async function openSession(address: string): Promise<Session> {
  const socket = new WebSocket(address);
  await once(socket, "open");
  const errors: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener("message", ({ data }) => {
    const { id, type, method, params, result, message } = JSON.parse(String(data));
    if (method === "log.entryAdded" && params.level === "error") errors.push(params.text);
    if (type === "success") waiting.get(id)?.resolve(result);
    if (type === "error") waiting.get(id)?.reject(new Error(message));
  });
  let lastId = 0;
  const send: Session["send"] = (method, params) => {
    const answer = Promise.withResolvers<unknown>();
    lastId += 1;
    waiting.set(lastId, answer);
    socket.send(JSON.stringify({ id: lastId, method, params }));
    return answer.promise;
  };
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["log.entryAdded"] });
  return { errors, send };
}

function createPage({ send }: Session, context: string): FirefoxPage {
  return {
    goto: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
    async evaluate(expression) {
      const evaluated = await send("script.evaluate", { expression, target: { context }, awaitPromise: true });
      if (evaluated.type === "exception") throw new Error(evaluated.exceptionDetails.text);
      return evaluated.result.value;
    },
    async type(text) {
      const actions = [...text].flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      await send("input.performActions", { context, actions: [{ type: "key", id: "keyboard", actions }] });
    },
  };
}

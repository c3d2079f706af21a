import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestOptions, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { quick, report } from "./measure/run.ts";
import { spreadOf } from "./measure/statistics.ts";

/**
 * The memory of the command, and the speed of the sandbox, with a full inbox. Every loop is bounded; the figures are of this machine, on this day. With
 * `--quick` it only shows that it works.
 */
const requests = quick ? 2 : 10;
const recipients = quick ? 100 : 10_000;
const repetitions = quick ? 2 : 15;

const rows: [what: string, figure: string][] = [];
const note = (what: string, figure: string) => rows.push([what, figure]);

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The median of several runs, and the slowest. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const figures: number[] = [];
  for (let run = 0; run < repetitions; run++) figures.push(await milliseconds(work));
  figures.sort((left, right) => left - right);
  note(what, `${shown(figures[Math.floor(repetitions / 2)] ?? 0)} (slowest ${shown(figures.at(-1) ?? 0)})`);
}

function shown(figure: number): string {
  return `${figure < 10 ? figure.toFixed(1) : Math.round(figure)} ms`;
}

/** The command, which answers each message of this process with its memory. */
interface Command {
  /** The API, and its key. */
  readonly env: Readonly<Record<string, string>>;
  /** Time until the first line. */
  readonly readyMilliseconds: number;
  memory(): Promise<NodeJS.MemoryUsage>;
  stop(): Promise<void>;
}

const answerWithMemory = `
  process.on("message", () => process.send(process.memoryUsage()));
  process.channel.unref();`;

/** Starts the command as users do, and waits for its first line. */
async function startCommand(args: readonly string[] = [], nodeArgs: readonly string[] = []): Promise<Command> {
  const begun = performance.now();
  const words = [...nodeArgs, "packages/sandbox/dist/cli.js", "--port", "0", "--quiet", ...args];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const [output] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return {
    readyMilliseconds: performance.now() - begun,
    env: Object.fromEntries(
      Array.from(output.toString().matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]),
    ),
    async memory() {
      const answer = once(child, "message") as Promise<[NodeJS.MemoryUsage]>;
      child.send("");
      return (await answer)[0];
    },
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** The time until the command says where it listens. */
async function millisecondsToReady(): Promise<number> {
  const { readyMilliseconds, stop } = await startCommand();
  await stop();
  return readyMilliseconds;
}

function phoneOf(index: number): string {
  return `+49151${20_000_000 + index}`;
}

/** Asks on a connection of its own: the server closes one that is kept while this process, which is the server too, is busy. */
async function ask(url: string, options: RequestOptions = {}, body?: object): Promise<void> {
  const sent = request(url, { agent: false, ...options }).end(body && JSON.stringify(body));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  await answer.toArray();
  if (answer.statusCode !== 200) throw new Error(`The sandbox answered ${answer.statusCode}.`);
}

const json = { "Content-Type": "application/json" };

function send(
  { SERVICE_URL = "", SERVICE_API_KEY = "" }: Readonly<Record<string, string>>,
  round: number,
): Promise<void> {
  const headers = { ...json, "X-API-KEY": SERVICE_API_KEY };
  return ask(
    `${SERVICE_URL}/messages`,
    { method: "POST", headers },
    {
      recipients: Array.from({ length: recipients }, (_, index) => phoneOf(round * recipients + index)),
      channels: [{ channel: "SMS", sender: "Doorcode", content: { text: `Hello number ${round}` } }],
    },
  );
}

/** The memory of the command with all messages, whose webhooks went over HTTP to this process. */
async function fillCommand(): Promise<string> {
  let arrived = 0;
  const receiver = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => {
      arrived++;
      outgoing.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const preload = `data:text/javascript,${encodeURIComponent(answerWithMemory)}`;
  const command = await startCommand(
    ["--clock", "frozen", "--webhook-url", `http://127.0.0.1:${port}/`],
    ["--import", preload],
  );
  const control = (command.env.SERVICE_URL ?? "").replace(/\/v1$/, "/_sandbox");
  try {
    for (let request = 0; request < requests; request++) {
      await send(command.env, request);
      await ask(`${control}/clock/advance`, { method: "POST", headers: json }, { by: "1s" });
    }
    if (arrived !== 2 * requests * recipients) throw new Error(`${arrived} webhooks arrived.`);
    return `${Math.round((await command.memory()).rss / 1e6)} MB`;
  } finally {
    await command.stop();
    receiver.close();
  }
}

async function fill(sandbox: Sandbox): Promise<void> {
  let arrived = 0;
  sandbox.deliverTo(async (request) => {
    await request.arrayBuffer();
    arrived++;
    return new Response();
  });
  const accepted: number[] = [];
  const delivered: number[] = [];
  for (let request = 0; request < requests; request++) {
    accepted.push(await milliseconds(() => send(sandbox.env, request)));
    delivered.push(await milliseconds(() => sandbox.clock.advance("1s")));
  }
  const median = (figures: number[]) => shown(figures.toSorted((left, right) => left - right)[requests / 2] ?? 0);
  note(`${recipients.toLocaleString("en")} recipients in one request: accepted`, median(accepted));
  note("… and all their webhooks delivered", median(delivered));
  note("messages, webhooks", `${(requests * recipients).toLocaleString("en")}, ${arrived.toLocaleString("en")}`);
}

const ready: number[] = [];
for (let run = 0; run < repetitions; run++) ready.push(await millisecondsToReady());
note("from the command to the first line", shown(spreadOf(ready).median));
const sandbox = await createSandbox({ port: 0, clock: "frozen" });
try {
  await fill(sandbox);
  const inProcess = `${Math.round(process.memoryUsage().rss / 1e6)} MB`;
  note("memory of a process with createSandbox", inProcess);
  report([{ row: "sandbox", subject: "createSandbox", role: "doorcode", value: inProcess }]);
  const oldest = encodeURIComponent(phoneOf(0));
  await measure("wait in process, oldest number", () => sandbox.inbox.wait({ to: phoneOf(0) }));
  await measure("wait over HTTP, oldest number", () => ask(`${sandbox.url}/_sandbox/inbox/wait?to=${oldest}`));
  await measure("list of one number", () => ask(`${sandbox.url}/_sandbox/inbox?to=${oldest}`));
  await measure("page", () => ask(`${sandbox.url}/`));
  await measure("page, search that finds nothing", () => ask(`${sandbox.url}/?q=nowhere+to+be+found`));
} finally {
  await sandbox.close();
}
const memory = await fillCommand();
note("memory of the command's process", memory);
const value = `${memory}, ready in ${(spreadOf(ready).median / 1000).toFixed(2)} s`;
report([{ row: "sandbox", subject: "doorcode-sandbox", role: "doorcode", value }]);

for (const [what, figure] of rows) process.stdout.write(`${what.padEnd(46)} ${figure}\n`);

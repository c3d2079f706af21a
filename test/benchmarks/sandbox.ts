import { spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { quick, report } from "./measure/run.ts";
import { spreadOf } from "./measure/statistics.ts";

/**
 * The speed of the sandbox with a full inbox. Every loop is bounded; the figures are of this machine, on this day. With
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

/** The time until the command says where it listens. */
async function millisecondsToReady(): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, ["packages/sandbox/dist/cli.js", "--port", "0"], { stdio: "pipe" });
  await once(child.stdout, "data");
  const took = performance.now() - begun;
  child.kill();
  await once(child, "exit");
  return took;
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

function send(sandbox: Sandbox, round: number): Promise<void> {
  const { SERVICE_URL, SERVICE_API_KEY } = sandbox.env;
  const headers = { "X-API-KEY": SERVICE_API_KEY, "Content-Type": "application/json" };
  return ask(
    `${SERVICE_URL}/messages`,
    { method: "POST", headers },
    {
      recipients: Array.from({ length: recipients }, (_, index) => phoneOf(round * recipients + index)),
      channels: [{ channel: "SMS", sender: "Doorcode", content: { text: `Hello number ${round}` } }],
    },
  );
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
    accepted.push(await milliseconds(() => send(sandbox, request)));
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
  const memory = `${Math.round(process.memoryUsage().rss / 1e6)} MB`;
  note("memory of the process", memory);
  const value = `${memory}, ready in ${(spreadOf(ready).median / 1000).toFixed(2)} s`;
  report([{ row: "sandbox", subject: "createSandbox, doorcode-sandbox", role: "doorcode", value }]);
  const oldest = encodeURIComponent(phoneOf(0));
  await measure("wait in process, oldest number", () => sandbox.inbox.wait({ to: phoneOf(0) }));
  await measure("wait over HTTP, oldest number", () => ask(`${sandbox.url}/_sandbox/inbox/wait?to=${oldest}`));
  await measure("list of one number", () => ask(`${sandbox.url}/_sandbox/inbox?to=${oldest}`));
  await measure("page", () => ask(`${sandbox.url}/`));
  await measure("page, search that finds nothing", () => ask(`${sandbox.url}/?q=nowhere+to+be+found`));
} finally {
  await sandbox.close();
}

for (const [what, figure] of rows) process.stdout.write(`${what.padEnd(46)} ${figure}\n`);

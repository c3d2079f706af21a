import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { appCodes, createDoorcode, createMemoryStore } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import express, { type ErrorRequestHandler } from "express";
import { serveHttp } from "../measure/program.ts";
import { origin } from "../measure/visitor.ts";
import { secret } from "./deliveries.ts";
import { createFastClock } from "./fast-clock.ts";
import { openCandidate } from "./open-candidate.ts";

/** What the process holds while nothing is asked of it. */
export interface SoakSample {
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** The number of each kind of handle that is open, such as `TCPSocketWrap` and `Timeout`. */
  readonly handles: Readonly<Record<string, number>>;
  /** The warnings of the process so far, such as that of too many listeners. */
  readonly warnings: readonly string[];
}

const [serviceUrl = "", storeName = "", startMilliseconds = ""] = process.argv.slice(2);
const clock = createFastClock(Number(startMilliseconds));
const candidate = storeName === "memory" ? undefined : await openCandidate(storeName);
const store = candidate?.store ?? createMemoryStore({ clock });

let events = 0;

const doorcode = createDoorcode({
  origins: [origin],
  clock,
  store,
  service: { baseUrl: serviceUrl, apiKey: "key_of_the_benchmark" },
  session: { password: "a password of the benchmark, long enough", lifetimeSeconds: 3600 },
  login: {
    countries: ["DE"],
    codes: appCodes(),
    onLogin: ({ phone }) => phone,
    // The same people log in all the time.
    limits: {
      mode: "observe",
      cooldownSeconds: 0,
      sendsPerPhone: 1000,
      sendsPerPhonePerDay: 1000,
      sendsPerDevicePerDay: 1000,
    },
  },
  webhooks: {
    secret,
    on: {
      async "verification.update"() {
        events += 1;
        if (events % 50 === 0) throw new Error("The database of the app is away.");
        if (events % 20 === 0) await pause(5);
      },
    },
  },
  // Every fault is expected here.
  onEvent: () => undefined,
});

const answerError: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(500).end();
const app = express()
  .set("trust proxy", "loopback")
  .use("/webhooks", webhooks(doorcode))
  .use("/login", phoneLogin(doorcode))
  .get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }))
  .use(answerError);

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const warnings: string[] = [];
process.on("warning", ({ name, message }) => warnings.push(`${name}: ${message.slice(0, 120)}`));

function takeSample(): SoakSample {
  // What the first collection finalizes, the second one frees.
  collect();
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  return { heapBytes: heapUsed, residentBytes: rss, handles, warnings };
}

process.on("message", (question) => {
  if (question === "sample") process.send?.(takeSample());
  if (question === "break connections") void candidate?.breakConnections?.().then(() => process.send?.("broken"));
});
process.prependOnceListener("disconnect", () => void candidate?.close());
serveHttp(app);

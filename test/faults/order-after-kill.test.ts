import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { findEngines } from "../inbox/inbox-setup.ts";
import type { Place } from "../inbox/open-engine.ts";
import { type Host, hosts } from "../support/hosts.ts";
import { instant, messageEvent, setUpWebhooks, signed, statuses, typesOf } from "../support/webhook-setup.ts";
import type { ReceivingNote, ReceivingSettings } from "./receiving-process.ts";

const engines = await findEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

const sent = messageEvent("SENT", instant(2));
const delivered = messageEvent("DELIVERED", instant(3));

/** Kills a process with `kill -9` while its handler runs for an event. */
async function killInHandler(place: Place, host: Host, payload: unknown): Promise<void> {
  const settings: ReceivingSettings = { place, host: host.name };
  const child = fork(join(import.meta.dirname, "receiving-process.ts"), [JSON.stringify(settings)], {
    execArgv: ["-C", "@doorcode/source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const [up]: ReceivingNote[] = await once(child, "message");
  const body = JSON.stringify(payload);
  const headers = Object.fromEntries(signed(body, Math.floor(Date.now() / 1000)));
  const begun = once(child, "message");
  const answer = fetch(up?.type === "up" ? up.url : "", { method: "POST", headers, body });
  const cut = expect(answer).rejects.toThrow();
  await begun;
  child.kill("SIGKILL");
  await exited;
  await cut;
}

describe.each(
  engines.flatMap((engine) => hosts.map((host) => ({ engine, host, on: `${host.name} with ${engine.name}` }))),
)("a process that is killed in a handler that runs before the answer, on $on", ({ engine, host }) => {
  test("W22: no older event is handled after it, and its event comes again", async () => {
    const setup = await engine.setUp();
    await killInHandler(setup.place, host, delivered);
    await setup.endHolds();
    const next = await setUpWebhooks(host, { name: "doorcode", store: setup.store });
    const answers = [await next.deliver(sent), await next.deliver(delivered), await next.deliver(sent)];

    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(statuses(next.calls)).toEqual(["DELIVERED"]);
    expect(typesOf(next.events)).toEqual(["webhook.stale", "webhook.handled", "webhook.stale"]);
  });
});

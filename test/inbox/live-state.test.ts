import { createDoorcode } from "@doorcode/core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { deliverVerification, webhookSecret as secret } from "../login/deliver-verification.ts";
import { createDeployment } from "../support/deployment.ts";
import { hosts } from "../support/hosts.ts";
import { setUpLogin } from "../support/login-setup.ts";
import { findEngines } from "./inbox-setup.ts";
import { openEngine } from "./open-engine.ts";

const engines = await findEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.close())));

describe.each(engines)("a login page that waits, on $name", (engine) => {
  test.each(hosts)("learns of a webhook once a worker of another process has handled it, on $name", async (host) => {
    const { store, inbox, place } = await engine.setUp();
    const app = createDeployment();
    const login = await setUpLogin(host, { app, store, options: { webhooks: { secret, inbox } } });
    const browser = await login.started();
    const { json } = await browser.get("/login/state");
    const answer = browser.get(`/login/state?after=${json.version}&waitSeconds=20`);
    // A wait schedules its end and its next look at the store.
    await expect.poll(() => login.clock.pending).toBe(2);
    const status = await deliverVerification(login, {
      verification_id: login.service.created.at(-1)?.id,
      status: "PENDING",
      channel: "SMS",
      channel_status: "SENT",
      updated_at: new Date(login.clock.now()).toISOString(),
    });
    expect(status).toBe(204);

    // A process that only works: it has no login.
    const own = openEngine(place);
    const handled = Promise.withResolvers<void>();
    const worker = createDoorcode({
      name: app.name,
      store: own.store,
      webhooks: { secret, inbox: own.inbox },
      onEvent: ({ type }) => type === "webhook.handled" && handled.resolve(),
    });
    onTestFinished(async () => {
      await worker.close();
      await own.close();
    });
    await worker.work();
    await handled.promise;
    // A waiting page reads its state once a second.
    await login.clock.advance(1000);
    expect((await answer).json.delivery).toMatchObject({ status: "sent", channel: "SMS" });
  });
});

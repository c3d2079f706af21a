import { inspect } from "node:util";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { phone } from "../support/login-setup.ts";
import { untilAnswered } from "../support/poll.ts";
import { failedClosed, notAccepted, openApp, refusalOf } from "./app.ts";
import { courseOf } from "./message-course.ts";
import { describeOnRedis } from "./stoppable-server.ts";

const [queued, sent] = courseOf("msg_1");
const [host = expect.fail("There is no host.")] = hosts;

describeOnRedis("a server that refuses the password of the app for a while", (server) => {
  test("L10, L24: makes the app fail closed, without the password in any output, and serves it again", async () => {
    const { admin, port } = server().server;
    const [own, other] = ["password-of-the-store", "another-password"];
    onTestFinished(async () => void (await admin.config("SET", "requirepass", "")));
    await admin.config("SET", "requirepass", own);
    const client = new Redis({ port, host: "127.0.0.1", password: own, retryStrategy: () => 20 });
    client.on("error", () => undefined);
    onTestFinished(() => client.disconnect());
    const store = createRedisStore({ client });
    const inbox = createBullInbox({ client });
    onTestFinished(async () => void (await Promise.all([store.close?.(), inbox.close()])));
    const app = await openApp(host, { store, webhooks: { inbox } });
    await app.doorcode.work();
    await app.deliver(queued);
    await app.published("webhook.handled");

    await admin.config("SET", "requirepass", other);
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await app.published("inbox.failed");
    const refused = [await app.open().post("/login/start", { phone }), await app.deliver(sent)];
    await admin.config("SET", "requirepass", own);
    await untilAnswered(() => store.get(["probe"]));
    await untilAnswered(() => inbox.deadLetters(1));
    const after = [await app.open().post("/login/start", { phone }), await app.deliver(sent)];
    await app.published("webhook.handled", 2);

    expect(refused.map(refusalOf)).toEqual([failedClosed, notAccepted]);
    expect(after.map(({ status }) => status)).toEqual([200, 204]);
    expect(inspect(app.events, { depth: null, showHidden: true })).not.toContain(own);
    app.expectNoSecrets();
  });
});

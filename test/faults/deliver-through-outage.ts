import { expect } from "vitest";
import { statuses } from "../support/webhook-setup.ts";
import { type App, notAccepted, refusalOf } from "./app.ts";
import type { Outage } from "./login-through-outage.ts";
import { courseOf } from "./message-course.ts";

/**
 * Delivers the statuses of a message with an outage after the first one. Asserts that deliveries are refused in time
 * during the outage, and that events which come again are handled once, and in order.
 */
export async function deliverThrough(app: App, { begin, end }: Outage): Promise<void> {
  const [queued, sent, delivered] = courseOf("msg_1");
  const before = await app.deliver(queued);
  await begin();
  const meanwhile = [await app.deliver(sent), await app.deliver(queued), await app.deliver(delivered)];
  await end();
  const after = [];
  for (const payload of [sent, queued, delivered, sent, delivered]) after.push(await app.deliver(payload));

  expect(before.status).toBe(204);
  expect(meanwhile.map(refusalOf)).toEqual([notAccepted, notAccepted, notAccepted]);
  expect(after.map(({ status }) => status)).toEqual(Array(5).fill(204));
  expect(statuses(app.calls.entries)).toEqual(["QUEUED", "SENT", "DELIVERED"]);
  app.expectNoSecrets();
}

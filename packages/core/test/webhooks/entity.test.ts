import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entityKey, verificationEntityKey } from "../../src/webhooks/entity.ts";
import { eventOf, messageEvent, verificationEvent } from "./receiver-setup.ts";

describe("the store key of an entity", () => {
  test("consists of the app's name, the kind and the id", () => {
    expect(entityKey("app", messageEvent("SENT", 1))).toBe("app:webhook:message.status.update:msg_1");
    expect(entityKey("app", verificationEvent({}, 1))).toBe("app:webhook:verification.update:ver_1");
    expect(verificationEntityKey("app", "ver_1")).toBe("app:webhook:verification.update:ver_1");
  });

  test("differs for any two ids, is short, and has only plain characters", () => {
    const id = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.string({ minLength: 60, maxLength: 400 }));
    fc.assert(
      fc.property(id, id, (left, right) => {
        const [leftKey, rightKey] = [verificationEntityKey("app", left), verificationEntityKey("app", right)];
        expect(leftKey === rightKey).toBe(left === right);
        expect(leftKey).toMatch(/^[\w.:-]{1,110}$/);
      }),
    );
  });

  test("is the event's own if the event has no id or no readable instant", () => {
    const noInstant = eventOf({ data: { message_id: "msg_1", status_updated_at: "soon" } });
    const noId = eventOf({ data: { status_updated_at: "2026-09-21T14:13:20Z" } });
    for (const event of [noInstant, noId]) expect(entityKey("app", event)).toBe(`app:webhook:event:${event.key}`);
  });
});

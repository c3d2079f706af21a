import { afterEach, expect, test, vi } from "vitest";
import { createPublish, type Publish } from "../../src/util/publish.ts";

interface TestedEvent {
  readonly type: string;
  readonly error?: unknown;
}

afterEach(() => void vi.restoreAllMocks());

test("each type of event that carries an error gives one warning, if the app has no onEvent", () => {
  const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const publish = createPublish<TestedEvent>(undefined, new Set<Publish<TestedEvent>>(), { showsStacks: false });
  for (const type of ["a.failed", "b.failed", "a.failed"]) publish({ type, error: new Error("once") });
  publish({ type: "c.started" });
  expect(emitWarning.mock.calls.map(([message]) => String(message).replace(/:.*/, ""))).toEqual([
    "a.failed",
    "b.failed",
  ]);
});

test("every listener gets an event before the app does", () => {
  const heard: string[] = [];
  const listeners = new Set([() => void heard.push("first"), () => void heard.push("second")]);
  createPublish(() => void heard.push("app"), listeners, { showsStacks: false })({ type: "a.started" });
  expect(heard).toEqual(["first", "second", "app"]);
});

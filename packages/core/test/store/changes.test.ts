import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createChanges } from "../../src/store/changes.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { StoreChanges } from "../../src/store/store.ts";

/** Announcements whose calls the test ends. */
function setUp() {
  const calls: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const shared: StoreChanges = {
    announce(topics) {
      calls.push(topics);
      return new Promise((resolve) => ends.push(resolve));
    },
    listen: () => () => undefined,
  };
  return { changes: createChanges({ changes: shared }), calls, endNext: () => ends.shift()?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("announcements of a kit", () => {
  test("reach every kit on a memory store at once, and each listener once", () => {
    const store = createMemoryStore();
    const [first, second] = [createChanges(store), createChanges(store)];
    const told: string[] = [];
    for (const [name, changes] of Object.entries({ first, second })) changes.listen(["a"], () => told.push(name));
    told.length = 0;
    first.announce("a");
    expect(told).toEqual(["first", "second"]);
  });

  test("go to the store in one call at a time, and those that come meanwhile go together in the next", async () => {
    const { changes, calls, endNext } = setUp();
    changes.announce("a");
    changes.announce("b");
    // The answer of the request goes first.
    expect(calls).toEqual([]);
    await settled();
    expect(calls).toEqual([["a", "b"]]);
    for (const topic of ["c", "d", "c"]) changes.announce(topic);
    await settled();
    expect(calls).toEqual([["a", "b"]]);
    endNext();
    await settled();
    expect(calls).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
  });

  test("of a worker pause for a moment after each call, so that a busy one makes few of them, and an idle one waits for nothing", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1000);
    onTestFinished(() => now.mockRestore());
    const { changes, calls, endNext } = setUp();
    changes.announceSoon("a");
    await settled();
    endNext();
    await settled();
    changes.announceSoon("b");
    await settled();
    changes.announceSoon("c");
    await settled();
    expect(calls).toEqual([["a"]]);
    await expect.poll(() => calls).toEqual([["a"], ["b", "c"]]);
    endNext();
    await settled();
    now.mockReturnValue(1050);
    changes.announceSoon("d");
    await settled();
    expect(calls).toHaveLength(3);
  });

  test("are dropped while more than a thousand wait for a store that is slow", async () => {
    const { changes, calls, endNext } = setUp();
    changes.announce("first");
    await settled();
    for (let index = 0; index < 1500; index++) changes.announce(`topic ${index}`);
    endNext();
    await settled();
    expect(calls[1]).toHaveLength(1000);
  });

  test("ask the store nothing when there is nothing to tell", async () => {
    const { changes, calls } = setUp();
    changes.announce();
    await settled();
    expect(calls).toEqual([]);
  });

  test("reach listeners of the same process at once, each once, until they stop", () => {
    const { changes } = setUp();
    const heard: string[] = [];
    const stop = changes.listen(["a", "b"], () => heard.push("first"));
    changes.listen(["b"], () => heard.push("second"));
    changes.announce("a", "b");
    stop();
    changes.announce("b");
    expect(heard).toEqual(["first", "second", "second"]);
  });

  test("of a store that has none call a listener at once, which may have missed a change", () => {
    let calls = 0;
    createChanges({}).listen(["a"], () => calls++);
    expect(calls).toBe(1);
  });
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type DataFile, loadSqlite, openDataFile } from "../src/state/data-file.ts";
import { createState, type State } from "../src/state/state.ts";
import { message } from "./support/records.ts";

const command = [process.execPath, "--conditions=@doorcode/source"] as const;
const writer = fileURLToPath(new URL("./support/write-batches.ts", import.meta.url));

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "sandbox.db");
}

/** Opens the file as a sandbox does when it starts. */
function open(path: string): { file: DataFile; state: State } {
  const file = openDataFile(path);
  onTestFinished(() => file.close());
  const state = createState({ journalOf: file.journalOf });
  file.load(state);
  return { file, state };
}

/** Closes the file and opens it again, as the next run of the sandbox. */
function reopen(path: string, { file }: { file: DataFile }): { file: DataFile; state: State } {
  file.close();
  return open(path);
}

function idsOf(records: Iterable<{ readonly id: string }>): readonly string[] {
  return Array.from(records, ({ id }) => id);
}

/** Changes a file as another program does. */
function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

function openError(path: string): unknown {
  try {
    openDataFile(path).close();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Opens and closes files in another process, which runs in the folder, and returns the outcome of each. */
function openElsewhere(folder: string, ...names: readonly string[]): readonly string[] {
  const program = `
    import { openDataFile } from ${JSON.stringify(new URL("../src/state/data-file.ts", import.meta.url).href)};
    for (const name of process.argv.slice(1))
      try { openDataFile(name).close(); console.log("opened"); } catch (error) { console.log(error.code); }`;
  const words = [...command.slice(1), "--input-type=module", "-e", program, ...names];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

/** Expects the complete batches 1 to `batches`, as support/write-batches.ts writes them. */
function expectCompleteBatches(state: State, batches: number) {
  const numbers = Array.from({ length: batches }, (_, index) => index + 1);
  expect(idsOf(state.messages.list("app_1"))).toEqual(numbers.map((number) => `msg_${number}`));
  const deliveries = Array.from(state.deliveries.list("app_1"), ({ id, status }) => `${id} ${status}`);
  expect(deliveries).toEqual(
    numbers.flatMap((number) =>
      Array.from({ length: 10 }, (_, index) => `dlv_${number}_${index} ${number < batches ? "delivered" : "pending"}`),
    ),
  );
}

const scheduledTask = {
  id: "task_1",
  applicationId: "app_1",
  dueMilliseconds: 3,
  task: { kind: "delivery.attempt", deliveryId: "dlv_1" },
} as const;

describe("a written record", () => {
  test("keeps its position in the order of additions after any change", () => {
    const path = newPath();
    const first = open(path);
    for (const id of ["msg_b", "msg_a"]) first.state.messages.put(message(id));
    for (const id of ["b", "a", "c"]) first.state.scheduledTasks.put({ ...scheduledTask, id });
    first.state.messages.put({ ...message("msg_b"), text: "Changed" });
    first.state.scheduledTasks.remove("a");
    const second = reopen(path, first);
    second.state.messages.put(message("msg_c"));
    second.state.scheduledTasks.put({ ...scheduledTask, id: "a" });
    const { state } = reopen(path, second);
    expect(idsOf(state.messages.list("app_1"))).toEqual(["msg_b", "msg_a", "msg_c"]);
    expect(idsOf(state.scheduledTasks.list("app_1"))).toEqual(["b", "c", "a"]);
    expect(state.messages.get("msg_b")?.text).toBe("Changed");
  });

  test("is not loaded after it was removed or forgotten", () => {
    const path = newPath();
    const first = open(path);
    for (const id of ["msg_1", "msg_2"]) first.state.messages.put(message(id));
    for (const id of ["msg_3", "msg_4"]) first.state.messages.put(message(id, { applicationId: "app_2" }));
    const second = reopen(path, first);
    for (const id of ["task_1", "task_2"])
      second.state.scheduledTasks.put({ ...scheduledTask, id, applicationId: "app_2" });
    second.state.scheduledTasks.remove("task_1");
    second.state.forget("app_1");
    const { state } = reopen(path, second);
    expect(idsOf([...state.messages.list("app_1"), ...state.messages.list("app_2")])).toEqual(["msg_3", "msg_4"]);
    expect(idsOf(state.scheduledTasks.all())).toEqual(["task_2"]);
  });

  test("is equal after loading, with undefined members and unusual texts", () => {
    const path = newPath();
    const first = open(path);
    const odd = message("msg_1", { sender: undefined, text: 'a\u0000b "\\ \u2028 😀 \ud83d lone' });
    first.state.messages.put(odd);
    const restored = reopen(path, first).state.messages.get("msg_1");
    expect(restored).toEqual(odd);
    expect(restored?.sender).toBeUndefined();
    expect(JSON.stringify(restored)).toBe(JSON.stringify(odd));
  });

  test("is not written again by loading, and no watcher is called", () => {
    const path = newPath();
    const first = open(path);
    first.state.messages.put(message("msg_1"));
    first.file.close();
    const file = openDataFile(path);
    onTestFinished(() => file.close());
    const calls: string[] = [];
    const journal = { write: () => calls.push("written"), erase: () => calls.push("erased") };
    const state = createState({ journalOf: () => journal });
    state.watch(() => calls.push("watched"));
    state.messages.watch(() => calls.push("watched"));
    file.load(state);
    expect({ calls, ids: idsOf(state.messages.list("app_1")) }).toEqual({ calls: [], ids: ["msg_1"] });
  });

  test("stays in memory after the file was closed", () => {
    const path = newPath();
    const first = open(path);
    first.state.messages.put(message("msg_1"));
    first.file.close();
    first.state.messages.put(message("msg_2"));
    expect(first.state.messages.count("app_1")).toBe(2);
    expect(idsOf(reopen(path, first).state.messages.list("app_1"))).toEqual(["msg_1"]);
  });
});

describe("kill -9", () => {
  /** Returns the batches that the child reported before it was killed, and the content of the file. */
  async function runUntil(line: string, ...args: string[]) {
    const path = newPath();
    const child = spawn(command[0], [command[1], writer, path, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    const lines: string[] = [];
    for await (const reported of createInterface({ input: child.stdout })) {
      lines.push(reported);
      if (reported === line) child.kill("SIGKILL");
    }
    expect(await ended).toEqual([null, "SIGKILL"]);
    return { batches: lines.filter((reported) => /^\d+$/.test(reported)).length, state: open(path).state };
  }

  test("in the middle of a batch keeps all earlier batches and no part of it", async () => {
    const { batches, state } = await runUntil("stopped in the middle", "7");
    expect(batches).toBe(6);
    expectCompleteBatches(state, 6);
  });

  test.each(["1", "40"])("at any moment after batch %s keeps every reported batch complete", async (line) => {
    const { batches, state } = await runUntil(line);
    const kept = state.messages.count("app_1");
    // One batch can be complete but not reported yet.
    expect(kept - batches).toBeOneOf([0, 1]);
    expectCompleteBatches(state, kept);
  });
});

describe("refuses", () => {
  test("a file that another sandbox of this process has open, until it is closed", () => {
    const path = newPath();
    const first = open(path);
    expect(openError(path)).toMatchObject({ name: "SandboxError", code: "data_file_taken" });
    first.state.messages.put(message("msg_1"));
    expect(idsOf(reopen(path, first).state.messages.list("app_1"))).toEqual(["msg_1"]);
  });

  test("a file that another process has open, even after a refusal in this one", () => {
    const path = newPath();
    const { file, state } = open(path);
    openError(path);
    expect(openElsewhere(tmpdir(), path)).toEqual(["data_file_taken"]);
    state.messages.put(message("msg_1"));
    file.close();
    expect(openElsewhere(tmpdir(), path)).toEqual(["opened"]);
  });

  test.each<[string, (path: string) => void]>([
    ["a text", (path) => writeFileSync(path, "hello")],
    ["a long text", (path) => writeFileSync(path, "hello ".repeat(10_000))],
    [
      "a damaged head",
      (path) => writeFileSync(path, Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8_192, 7)])),
    ],
    ["the database of another program", (path) => execute(path, "CREATE TABLE customers (name TEXT)")],
  ])("%s, and does not change it", (_, write) => {
    const path = newPath();
    write(path);
    const before = readFileSync(path);
    expect(openError(path)).toMatchObject({ name: "SandboxError", code: "data_file_unusable" });
    expect(readFileSync(path)).toEqual(before);
  });

  test("a file of another version", () => {
    const path = newPath();
    open(path).file.close();
    execute(path, "PRAGMA user_version = 1000");
    expect(openError(path)).toMatchObject({ code: "data_file_unusable", message: expect.stringMatching(/version/) });
  });

  test("a file with damaged records, when it is loaded, and leaves no lock on it", () => {
    const path = newPath();
    const first = open(path);
    first.state.messages.put(message("msg_1"));
    first.file.close();
    execute(path, "UPDATE records SET record = '{'");
    const file = openDataFile(path);
    onTestFinished(() => file.close());
    const error = { code: "data_file_unusable", message: expect.stringMatching(/damaged/) };
    expect(() => file.load(createState())).toThrow(expect.objectContaining(error));
    expect(openError(path)).toBeUndefined();
  });

  test("a path in a missing folder, and a folder", () => {
    const path = newPath();
    expect(openError(join(path, "sandbox.db"))).toMatchObject({ code: "data_file_unusable" });
    expect(openError(join(path, ".."))).toMatchObject({ code: "data_file_unusable" });
  });
});

test("creates a file that only its owner can open, from the first moment on", () => {
  const path = newPath();
  const { chmodSync } = fs;
  onTestFinished(() => {
    fs.chmodSync = chmodSync;
    syncBuiltinESMExports();
  });
  fs.chmodSync = () => undefined;
  syncBuiltinESMExports();
  open(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("lets only the owner read the file", () => {
  const path = newPath();
  writeFileSync(path, "", { mode: 0o644 });
  const { state } = open(path);
  state.messages.put(message("msg_1"));
  const modes = [path, `${path}-wal`].map((file) => statSync(file).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});

test("treats each name as that of a file, also one that means something else to SQLite", () => {
  const folder = dirname(newPath());
  const names = [":memory:", "file:sandbox.db?mode=memory"];
  expect(openElsewhere(folder, ...names)).toEqual(["opened", "opened"]);
  expect(names.map((name) => statSync(join(folder, name)).isFile())).toEqual([true, true]);
});

test("ends the process when the disk is full, with all reported batches in the file and no part of another", () => {
  const path = newPath();
  const limited = spawnSync("sh", ["-c", 'ulimit -f 1000; exec "$@"', "sh", ...command, writer, path], {
    encoding: "utf8",
  });
  expect(limited).toMatchObject({ status: 1, stderr: expect.stringMatching(/data_file_unusable/) });
  const batches = limited.stdout.trimEnd().split("\n").length;
  expect(batches).toBeGreaterThan(1);
  expectCompleteBatches(open(path).state, batches);
});

test("suppresses the warning of node:sqlite, and no other", () => {
  const emitWarning = vi.spyOn(process, "emitWarning").mockReturnValue();
  const spy = process.emitWarning;
  vi.spyOn(process, "getBuiltinModule").mockImplementation(() => {
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
    process.emitWarning("Another feature is experimental", "ExperimentalWarning");
    return { DatabaseSync };
  });
  onTestFinished(() => void vi.restoreAllMocks());
  expect(loadSqlite()).toEqual({ DatabaseSync });
  expect(emitWarning.mock.calls).toEqual([["Another feature is experimental", "ExperimentalWarning"]]);
  expect(process.emitWarning).toBe(spy);
});

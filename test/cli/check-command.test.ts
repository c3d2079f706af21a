import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as onExpress from "@doorcode/express";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createKit, secret, serve, serveExpress } from "../endpoint-check/mistaken-apps.ts";
import { runCli, spawnCli } from "./run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "doorcode-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => void vi.stubEnv("WEBHOOK_SECRET", secret));
afterEach(() => void vi.unstubAllEnvs());

const serveKit = () => serveExpress((app) => void app.use("/webhooks", onExpress.webhooks(createKit())));

describe("doorcode check", () => {
  test("prints a line for each finding and exits with 0 when the endpoint works", async () => {
    const { code, output, errors } = await spawnCli(["check", await serveKit()], { WEBHOOK_SECRET: secret });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output.split("\n")).toEqual([
      expect.stringMatching(/^✓ /),
      expect.stringMatching(/^✓ /),
      expect.stringMatching(/^✓ /),
      "",
    ]);
  });

  test("exits with 1 and prints the fix when the endpoint has a problem", async () => {
    const url = await serve((_request, response) => void response.writeHead(404).end());
    const { code, output } = await runCli(["check", url]);
    expect(code).toBe(1);
    expect(output).toMatch(/^✗ There is no endpoint at \/webhooks \(404\)\. .+\n$/);
  });

  test("prints JSON for scripts, with the codes and without the secret", async () => {
    const { output } = await runCli(["check", await serveKit(), "--json"]);
    const { passed, findings } = JSON.parse(output);
    expect(passed).toBe(true);
    expect(findings[0]).toMatchObject({ code: "accepted", level: "ok" });
    expect(output).not.toContain(secret);
  });

  test("reads the secret from a file, which wins over the environment", async () => {
    const file = join(folder, "secrets.env");
    writeFileSync(file, `WEBHOOK_SECRET="${secret}"\n`);
    vi.stubEnv("WEBHOOK_SECRET", "another_secret");
    expect(await runCli(["check", await serveKit(), "--env-file", file])).toMatchObject({ code: 0 });
  });

  test.each([
    { args: ["check"], says: "one URL" },
    { args: ["check", "app.example.com"], says: "http or https URL" },
    { args: ["check", "https://app.example.com", "--yes"], says: "no option --yes" },
    { args: ["check", "https://app.example.com", "--secret", "x"], says: "see --help" },
    { args: ["chek"], says: "check, init or limits" },
  ])("exits with 2 and says what is wrong with $args.length arguments: $says", async ({ args, says }) => {
    const { code, output, errors } = await runCli(args);
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toContain(says);
    expect(errors.split("\n")).toHaveLength(2);
  });

  test("sends nothing without the file of the secret", async () => {
    const missing = join(folder, "none.env");
    const { code, output, errors } = await runCli(["check", "https://app.invalid", "--env-file", missing]);
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toContain(missing);
  });

  test("exits with 2 without a secret", async () => {
    vi.stubEnv("WEBHOOK_SECRET", undefined);
    const { code, errors } = await runCli(["check", "https://app.example.com/webhooks"]);
    expect(code).toBe(2);
    expect(errors).toContain("WEBHOOK_SECRET");
  });
});

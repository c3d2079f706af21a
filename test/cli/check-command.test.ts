import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as onExpress from "@doorcode/express";
import { afterAll, describe, expect, test } from "vitest";
import { createCertificates } from "../../packages/sandbox/test/support/certificates.ts";
import { createKit, secret, serve, serveExpress, serveTls } from "../endpoint-check/mistaken-apps.ts";
import { runCli } from "./run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "doorcode-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

const serveKit = () => serveExpress((app) => void app.use("/webhooks", onExpress.webhooks(createKit())));

describe("doorcode check", () => {
  test("prints a line for each finding and exits with 0 when the endpoint works", async () => {
    const { code, output, errors } = await runCli(["check", await serveKit()], { WEBHOOK_SECRET: secret });
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
    const { code, output } = await runCli(["check", url], { WEBHOOK_SECRET: secret });
    expect(code).toBe(1);
    expect(output).toMatch(/^✗ There is no endpoint at \/webhooks \(404\)\. .+\n$/);
  });

  test("prints JSON for scripts, with the codes and without the secret", async () => {
    const { output } = await runCli(["check", await serveKit(), "--json"], { WEBHOOK_SECRET: secret });
    const { passed, findings } = JSON.parse(output);
    expect(passed).toBe(true);
    expect(findings[0]).toMatchObject({ code: "accepted", level: "ok" });
    expect(output).not.toContain(secret);
  });

  test("reads the secret from a file, which wins over the environment", async () => {
    const file = join(folder, "secrets.env");
    writeFileSync(file, `WEBHOOK_SECRET="${secret}"\n`);
    const args = ["check", await serveKit(), "--env-file", file];
    expect(await runCli(args, { WEBHOOK_SECRET: "another_secret" })).toMatchObject({ code: 0 });
  });

  test("names a certificate of another host", async () => {
    const { signed, authority } = await createCertificates();
    const file = join(folder, "authority.pem");
    writeFileSync(file, authority);
    const url = await serveTls(signed, (_request, response) => void response.writeHead(401).end());
    const env = { WEBHOOK_SECRET: secret, NODE_EXTRA_CA_CERTS: file };
    const ofOther = await runCli(["check", url.replace("localhost", "127.0.0.1"), "--json"], env);
    const ofItself = await runCli(["check", url, "--json"], env);
    expect(JSON.parse(ofOther.output).findings[0].code).toBe("certificate_of_other_host");
    expect(JSON.parse(ofItself.output).findings[0].code).toBe("wrong_secret");
  });

  test.each([
    { args: ["check"], says: "one URL" },
    { args: ["check", "app.example.com"], says: "http or https URL" },
    { args: ["check", "https://app.example.com", "--yes"], says: "no option --yes" },
    { args: ["check", "https://app.example.com", "--secret", "x"], says: "see --help" },
    { args: ["chek"], says: "check, init or limits" },
  ])("exits with 2 and says what is wrong with $args.length arguments: $says", async ({ args, says }) => {
    const { code, output, errors } = await runCli(args, { WEBHOOK_SECRET: secret });
    expect({ code, output }).toEqual({ code: 2, output: "" });
    expect(errors).toContain(says);
    expect(errors.split("\n")).toHaveLength(2);
  });

  test("sends nothing without the file of the secret", async () => {
    const missing = join(folder, "none.env");
    const { code, output, errors } = await runCli(["check", "https://app.invalid", "--env-file", missing]);
    // Node itself reads an option of this name, too: most versions stop with 9 before the command starts.
    expect([2, 9]).toContain(code);
    expect(output).toBe("");
    expect(errors).toContain(missing);
  });

  test("exits with 2 without a secret", async () => {
    const { code, errors } = await runCli(["check", "https://app.example.com/webhooks"]);
    expect(code).toBe(2);
    expect(errors).toContain("WEBHOOK_SECRET");
  });
});

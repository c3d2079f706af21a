import { describe, expect, test } from "vitest";
import { help, readCommandLine } from "../src/command-line.ts";

test("takes a port and a webhook URL, both optional", () => {
  expect(readCommandLine([])).toEqual({ port: 4010, webhookUrl: undefined });
  const webhookUrl = "http://localhost:3000/webhooks";
  expect(readCommandLine(["--port", "0", "--webhook-url", webhookUrl])).toEqual({ port: 0, webhookUrl });
});

test("names every option in its help", () => {
  expect(readCommandLine(["--help"])).toBe("help");
  for (const option of ["--port", "--webhook-url", "--help"]) expect(help).toContain(option);
});

describe("answers one sentence, with the option in it, to", () => {
  test.each([
    ["--prot", ["--prot", "1"]],
    ["--port", ["--port"]],
    ["--port", ["--port", "many"]],
    ["--port", ["--port", "65536"]],
    ["--port", ["--port=-1"]],
    ["--port", ["--port="]],
    ["--help", ["--help=no"]],
    ["--webhook-url", ["--webhook-url", "https://example.com/hooks"]],
    ["--webhook-url", ["--webhook-url", "localhost"]],
    ["serve", ["serve"]],
  ])("%s: %j", (name, args) => {
    const sentence = readCommandLine(args);
    expect(sentence).toMatch(/^[^\n]+\.$/);
    expect(sentence).toContain(name);
  });
});

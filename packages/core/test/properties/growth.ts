import { parseTypedCode } from "../../src/codes/code-strategy.ts";
import { doneLocation } from "../../src/http/answers.ts";
import { type BodyFormat, bodyFormat, readLoginBody } from "../../src/http/body.ts";
import { parseE164, parsePhoneNumber } from "../../src/phone/phone-number.ts";
import { systemClock } from "../../src/util/clock.ts";
import { createCookie } from "../../src/util/headers.ts";
import { parseEvent, rankInstant } from "../../src/webhooks/event.ts";
import { importSigningSecrets, verifyDelivery } from "../../src/webhooks/signature.ts";
import { createRequest } from "./login-request.ts";

/** A parser and texts that it could be slow at: a beginning, and one of the pieces many times over. */
interface GrowthCase {
  readonly parser: string;
  readonly pieces: readonly string[];
  readonly beginnings: readonly string[];
  read(text: string): unknown;
}

/** A text for which the time of a parser grows faster than its length. */
export interface SteepGrowth {
  readonly parser: string;
  readonly beginning: string;
  readonly piece: string;
  /** The milliseconds for the shorter and for the longer text. */
  readonly milliseconds: readonly [number, number];
}

const cookie = createCookie("doorcode", true);
const keys = importSigningSecrets(["whk"]);
const check = { keys, toleranceSeconds: 300, nowMilliseconds: 1_790_000_000_000 };
const forms = { page: "/login", done: "/" };
const jsonPieces = ["[", "{", '"', "\\", '{"a":', '"a",', "1,", "1", " ", "\\u0000", "\u00e9", '"data":'];

const cases: readonly GrowthCase[] = [
  {
    parser: "phone number",
    beginnings: ["", "+", "+49", "+1"],
    pieces: ["1", "49", "0", " ", "(", "(0)", "-", "\u200b", "٤", "tel:", "+"],
    read: (text) => [parsePhoneNumber(text, "DE"), parseE164(text)],
  },
  {
    parser: "typed code",
    beginnings: ["", "1"],
    pieces: ["1", " ", "-", "\u200b", "٤", "a", " 1"],
    read: (text) => caught(() => parseTypedCode(text, { min: 4, max: 10 })),
  },
  { parser: "login body", beginnings: ["", '{"a":'], pieces: jsonPieces, read: (text) => readBody(text, "json") },
  {
    parser: "login body",
    beginnings: ["", "phone="],
    pieces: ["&", "=", "a=1&", "%", "%ff", "+", "phone=1&", "\u00e9"],
    read: (text) => readBody(text, "form"),
  },
  {
    parser: "content type",
    beginnings: ["", "application/json"],
    pieces: [" ", ";", "a", "/", "application/json", " ;"],
    read: (text) => bodyFormat(createRequest({ "content-type": text }, { bytes: new Uint8Array() })),
  },
  {
    parser: "cookie",
    beginnings: ["", "__Host-doorcode=", "__Host-doorcode"],
    pieces: [";", "=", " ", "a;", "a=b; ", "%", "%ff", '"', "__Host-doorcode=1;", ";="],
    read: (text) => cookie.read({ cookie: text }),
  },
  {
    parser: "own path",
    beginnings: ["/", "/a"],
    pieces: ["/", "\\", "a/", "../", "%2e/", "?", "#", "\t", "\u00e9", "@", ":"],
    read: (text) => doneLocation(forms, text),
  },
  {
    parser: "signature header",
    beginnings: ["", "v1=", " "],
    pieces: [",", " ", "\t", "v1=", "v1=,", "a", `v1=${"0".repeat(64)},`, " v1=0"],
    read: (text) =>
      verifyDelivery(
        {
          headers: { "x-webhook-timestamp": "1790000000", "x-webhook-signature": text },
          body: new Uint8Array(),
        },
        check,
      ),
  },
  {
    parser: "event",
    beginnings: ["", '{"data":', '{"data":{"updated_at":1,"x":'],
    pieces: jsonPieces,
    read: (text) => parseEvent(new TextEncoder().encode(text)),
  },
  {
    parser: "instant",
    beginnings: ["", "2026-09-21T14:13:20."],
    pieces: ["0", "1", "-", ":", " ", "."],
    read: (text) => rankInstant(text),
  },
];

const shortCharacters = 16_384;
const factor = 8;

/** Some patterns are slow only where they do not match in the end. */
const ends = ["", "!"];

/**
 * Measures each parser on texts of 16,384 characters and eight times as many. Returns those for which the time grew by more
 * than four times that factor, three times in a row: quadratic time grows by 64.
 */
export async function findSteepGrowth(parsers: readonly string[]): Promise<readonly SteepGrowth[]> {
  const found: SteepGrowth[] = [];
  for (const { parser, beginnings, pieces, read } of cases) {
    if (!parsers.includes(parser)) continue;
    const edges = beginnings.flatMap((beginning) => ends.map((end) => ({ beginning, end })));
    for (const { beginning, end } of edges) {
      for (const piece of pieces) {
        const milliseconds = await measureSteep((characters) =>
          read(beginning + piece.repeat(characters / piece.length) + end),
        );
        if (milliseconds) found.push({ parser, beginning, piece, milliseconds });
      }
    }
  }
  return found;
}

/** Returns the last two measured times if all three attempts were steep: a busy machine may disturb one. */
async function measureSteep(readText: (characters: number) => unknown): Promise<readonly [number, number] | undefined> {
  let milliseconds: readonly [number, number] = [0, 0];
  for (let attempt = 0; attempt < 3; attempt++) {
    const short = await fastest(() => readText(shortCharacters));
    const long = await fastest(() => readText(shortCharacters * factor));
    if (long <= short * factor * 4 + 5) return undefined;
    milliseconds = [short, long];
  }
  return milliseconds;
}

/** Returns the milliseconds of the fastest of several runs: the others were interrupted. */
async function fastest(run: () => unknown): Promise<number> {
  let milliseconds = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 5; count++) {
    const begun = performance.now();
    await run();
    milliseconds = Math.min(milliseconds, performance.now() - begun);
  }
  return milliseconds;
}

async function readBody(text: string, format: BodyFormat): Promise<unknown> {
  const bytes = new TextEncoder().encode(text);
  return caught(() => readLoginBody(createRequest({}, { bytes }), format, systemClock));
}

/** Returns what is thrown, too: a refusal must be as quick. */
async function caught(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return error;
  }
}

import { createDoorcode } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import { openEngine } from "../../../test/inbox/open-engine.ts";
import { recordFigures } from "../src/figures/record-figures.ts";

/** A message from the test to the process. */
export interface FiguresOrder {
  /** The codes that the process sends. */
  readonly codes: number;
  /** What it does after them: it writes its figures, ends, or does nothing and is killed. */
  readonly next: "flush" | "end" | "nothing";
}

/** A message from the process to the test. */
export type FiguresNote = "sent" | "flushed";

// A process of an app that records figures. No code is sent to anybody: the process publishes the event alone.
const [place = ""] = process.argv.slice(2);
const engine = openEngine(JSON.parse(place), { postgres: { onError: () => undefined } });
const doorcode = createDoorcode({ store: engine.store });
const { flush } = recordFigures(doorcode);
const tell = (note: FiguresNote) => process.send?.(note);

process.on("message", async ({ codes, next }: FiguresOrder) => {
  for (let code = 0; code < codes; code += 1) {
    doorcode[doorcodeParts].publish({
      type: "login.code_sent",
      loginId: "login",
      phone: "+49 ••• 89",
      phoneFingerprint: "f",
      purpose: "login",
      country: "DE",
      channel: "SMS",
      durationSeconds: 0.1,
    });
  }
  tell("sent");
  if (next === "nothing") return;
  if (next === "flush") {
    await flush();
    return tell("flushed");
  }
  await doorcode.close();
  await engine.close();
  process.disconnect();
});

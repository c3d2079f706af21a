import type { Hono } from "hono";
import { faultShape } from "../../fault/fault-shape.ts";
import { parse } from "../../misuse.ts";
import { presets } from "../../page/clock/presets.ts";
import { clockModeShape } from "../../time/pace.ts";
import { createActs } from "./act.ts";
import type { PageDesk } from "./desk.ts";
import { numberIn, type PageForm } from "./form.ts";

/** What the clock and the faults of the page do. */
export function createPageTimeActs(desk: PageDesk): Hono {
  return createActs(desk, {
    staying: {
      clock: ({ application, form }) =>
        application.clock.set(parse("clock", clockModeShape, modeIn(form.text("mode")))),
      "clock/advance": async ({ application, form }) => {
        await application.clock.advance((form.text("by") ?? "").replaceAll(" ", ""));
      },
      faults: ({ application, form }) => void application.faults.add(parse("faults", faultShape, faultIn(form))),
      "faults/remove": ({ application }) => application.faults.clear(),
      "faults/:fault/remove": ({ application, part }) => application.faults.remove(part("fault")),
    },
  });
}

/** A word, or how many times as fast as real time. */
function modeIn(text: string | undefined): unknown {
  const scale = numberIn(text);
  if (typeof scale !== "number") return text;
  return scale === 1 ? "real" : { scale };
}

function faultIn(form: PageForm): unknown {
  const preset = presets.find(({ id }) => id === form.text("preset"));
  if (preset) return preset.fault;
  const percent = form.number("percent");
  const isRequest = form.text("strikes") === "request";
  return given({
    on: form.text("on"),
    to: form.text("to"),
    status: isRequest ? undefined : form.text("status"),
    times: form.number("times"),
    probability: typeof percent === "number" ? percent / 100 : percent,
    seed: form.number("seed"),
    action: isRequest ? requestActionIn(form) : webhookActionIn(form),
  });
}

function requestActionIn(form: PageForm): unknown {
  const action = form.text("does");
  if (action === "cut_before" || action === "cut_after") return { type: "cut", when: action.slice("cut_".length) };
  if (action === "delay") return { type: "delay", milliseconds: form.number("milliseconds") };
  return given({ type: action, status: form.number("status"), retryAfterSeconds: form.number("retryAfterSeconds") });
}

function webhookActionIn(form: PageForm): unknown {
  const type = form.text("does");
  const takesSeconds = type === "delay" || type === "stale_timestamp";
  return takesSeconds ? { type, seconds: form.number("seconds") } : { type };
}

/** What was not written is not there. */
function given(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

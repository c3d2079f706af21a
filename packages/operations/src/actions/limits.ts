import type { ClosedGroup } from "@doorcode/core/adapter";
import { digestOfGroup, groupText } from "../masked.ts";
import { durationText, instantText } from "../page/format.ts";
import type { PageContext } from "../page-context.ts";
import { amountText, limitText } from "../views/limit-names.ts";
import type { Action, Form } from "./action.ts";

async function closedGroup({ doorcode }: PageContext, { group = "" }: Form): Promise<ClosedGroup | undefined> {
  const closed = (await doorcode.limits.state()).filter((entry) => entry.kind !== "app");
  return closed.find((entry) => digestOfGroup(doorcode, entry) === group);
}

/** Opens a closed block, address or network. */
export const openGroup: Action = {
  name: "open_group",
  view: "limits",
  async ask(context, form) {
    const group = await closedGroup(context, form);
    const question = group
      ? `Open ${groupText(context.doorcode, group)}? It would open by itself in ${durationText(group.secondsLeft)}. It begins again at zero, so an attack that goes on closes it again.`
      : "This group is open already. Continue anyway?";
    return { question, yes: "Open" };
  },
  async run(context, form) {
    const group = await closedGroup(context, form);
    if (!group) return { outcome: "unchanged", text: "The group is not closed." };
    const target = `${group.kind} ${groupText(context.doorcode, group)}`;
    const isOpened = await context.doorcode.limits.open(group.kind, group.value);
    return isOpened
      ? { outcome: "done", target, text: `${groupText(context.doorcode, group)} is open.` }
      : { outcome: "unchanged", target, text: "The group is not closed." };
  },
};

type Ceiling = Awaited<ReturnType<PageContext["doorcode"]["limits"]["ceilings"]>>[number];

/** A change of a ceiling, as the form has it. */
interface CeilingChange {
  readonly ceiling: Ceiling;
  /** `undefined` for the configured value. */
  readonly value: number | undefined;
  readonly forSeconds: number;
}

const maxSeconds = 7 * 86_400;

async function ceilingChange(
  { doorcode }: PageContext,
  { kind, value = "", seconds = "" }: Form,
): Promise<CeilingChange | string> {
  const ceiling = (await doorcode.limits.ceilings()).find((each) => each.kind === kind);
  if (!ceiling) return "Your app has no such ceiling.";
  const forSeconds = Number(seconds);
  if (!Number.isSafeInteger(forSeconds) || forSeconds < 60 || forSeconds > maxSeconds)
    return "Choose until when the change holds.";
  if (value.trim() === "") return { ceiling, value: undefined, forSeconds };
  // As the page writes it: 10,000.
  const number = Number(/^\s*\d{1,3}(,\d{3})+\s*$/.test(value) ? value.replaceAll(",", "") : value.trim());
  const isWhole = kind === "cost_per_day" || Number.isSafeInteger(number);
  if (!(number >= 0 && number <= 1_000_000_000 && isWhole))
    return "The new value must be a number from 0, such as 500.";
  return { ceiling, value: number, forSeconds };
}

/** Raises or lowers a ceiling until a time, or goes back to the configured one. */
export const changeCeiling: Action = {
  name: "change_ceiling",
  view: "limits",
  async ask(context, form) {
    const change = await ceilingChange(context, form);
    if (typeof change === "string") return { question: change };
    const { ceiling, value, forSeconds } = change;
    const name = limitText(ceiling.kind);
    if (value === undefined)
      return {
        question: `${name}: go back to the configured ${amountText(ceiling.kind, ceiling.configured)}?`,
        yes: "Set back",
      };
    const until = instantText(context.now + forSeconds * 1000, context.now);
    const stops =
      value > ceiling.used
        ? ""
        : ` ${amountText(ceiling.kind, ceiling.used)} are used already, so nobody gets a code until then.`;
    return {
      question: `${name}: ${amountText(ceiling.kind, value)} instead of ${amountText(ceiling.kind, ceiling.current)}, until ${until}?${stops}`,
      yes: "Change",
    };
  },
  async run(context, form) {
    const change = await ceilingChange(context, form);
    if (typeof change === "string") return { outcome: "failed", text: change };
    const { ceiling, value, forSeconds } = change;
    const { kind, current, configured, changedForSeconds } = ceiling;
    const target = value === undefined ? kind : `${kind} ${value}`;
    // The page was asked for a moment ago: a change that ends within a minute of the wanted time is the same.
    const isSameTime = changedForSeconds !== undefined && Math.abs(changedForSeconds - forSeconds) <= 60;
    const isSame = value === undefined ? changedForSeconds === undefined : current === value && isSameTime;
    if (isSame)
      return { outcome: "unchanged", target, text: `${limitText(kind)} is at ${amountText(kind, current)} already.` };
    await context.doorcode.limits.changeCeiling(kind, value, { forSeconds });
    if (value === undefined)
      return {
        outcome: "done",
        target,
        text: `${limitText(kind)} is at the configured ${amountText(kind, configured)} again.`,
      };
    const until = instantText(context.now + forSeconds * 1000, context.now);
    return {
      outcome: "done",
      target,
      text: `${limitText(kind)} is at ${amountText(kind, value)} until ${until}, then at ${amountText(kind, configured)} again.`,
    };
  },
};

import { countText, moneyText, valueText } from "../page/format.ts";

const limitTexts: Readonly<Record<string, string>> = {
  app: "Your app (beforeSend)",
  number: "Number",
  block: "Block of numbers",
  wide_block: "Wide block of numbers",
  address: "Address",
  network: "Network",
  sends_per_hour: "Codes an hour",
  sends_per_day: "Codes a day",
  cost_per_day: "Cost a day",
};

/** Returns the name of a limit, a group or a ceiling for people. */
export function limitText(limit: string): string {
  return limitTexts[limit] ?? limit;
}

/** Formats the amount of a ceiling: money, or a number of codes. */
export function amountText(kind: string, amount: number | undefined): string {
  return kind === "cost_per_day" ? moneyText(amount) : countText(amount);
}

/** Returns the name of a group's kind, with its country if that is known. */
export function kindText(kind: string, country: string | undefined): string {
  return country === undefined ? limitText(kind) : `${limitText(kind)}, ${valueText("country", country)}`;
}

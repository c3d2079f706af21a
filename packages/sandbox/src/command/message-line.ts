import type { InboxMessage } from "../controls/inbox.ts";

/** How much of a text a line shows. */
const shownLength = 60;

/** A message as one line of a terminal: local time, channel, number, and its code or how its text begins. */
export function messageLine({ createdAt, channel, to, code, text }: InboxMessage): string {
  const time = new Date(createdAt).toTimeString().slice(0, 8);
  return printable(`${time}  ${channel.padEnd(8)}  ${to.padEnd(15)}  ${code ?? beginningOf(text)}`);
}

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= shownLength ? line : `${characters.slice(0, shownLength - 1).join("")}…`;
}

/** Whoever sends a message must not be able to command the terminal, or to turn the line around. */
function printable(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
}

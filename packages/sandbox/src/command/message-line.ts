import type { InboxMessage } from "../sandbox/inbox.ts";

/** Characters of a text that a line shows. */
const maxTextLength = 60;

/** Creates a function that prints each message as a line. Messages of one run of code are printed together. */
export function createMessagePrinter(print: (lines: string) => void): (message: InboxMessage) => void {
  let lines = "";
  const flush = () => {
    print(lines);
    lines = "";
  };
  return (message) => {
    if (lines === "") setImmediate(flush);
    lines += `${messageLine(message)}\n`;
  };
}

/** Formats a message as one line of a terminal: local time, channel, number, and its code or the beginning of its text. */
export function messageLine({ createdAt, channel, to, code, text }: InboxMessage): string {
  const time = new Date(createdAt).toTimeString().slice(0, 8);
  return printableLine(`${time}  ${channel.padEnd(8)}  ${to.padEnd(15)}  ${code ?? beginningOf(text)}`);
}

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= maxTextLength ? line : `${characters.slice(0, maxTextLength - 1).join("")}…`;
}

/** Replaces control characters, with which a text could control the terminal or reverse the line. */
export function printableLine(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
}

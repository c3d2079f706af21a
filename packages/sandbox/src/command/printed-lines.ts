import type { InboxMessage } from "../sandbox/inbox.ts";
import type { Sandbox } from "../start/create-sandbox.ts";
import type { ApiRequest } from "../state/api-request.ts";
import type { Delivery, DeliveryAttempt } from "../state/delivery.ts";

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
  return printableLine(`${timeText(createdAt)}  ${channel.padEnd(8)}  ${to.padEnd(15)}  ${code ?? beginningOf(text)}`);
}

/** Formats a refused request as one line of a terminal: local time, method, path, status, and the cause in words. */
function refusedLine({ at, method, path, status, cause = "" }: ApiRequest): string {
  return printableLine(`${timeText(at)}  REFUSED   ${method} ${path}  ${status ?? "no answer"}  ${cause}`);
}

/** Prints a line for each request that was refused. */
export function printRefusals({ requests }: Sandbox, print: (line: string) => void): void {
  requests.watch((request) => {
    if (request.cause !== undefined) print(`${refusedLine(request)}\n`);
  });
}

function timeText(at: string | number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= maxTextLength ? line : `${characters.slice(0, maxTextLength - 1).join("")}…`;
}

/** Replaces control characters, with which a text could control the terminal or reverse the line. */
function printableLine(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
}

/** Attempts in a row that an endpoint does not acknowledge before a line says so. */
const failuresInARow = 3;

/**
 * Prints a line when the attempts at a URL keep failing, with the reason that a check of the endpoint finds, such as a clock that is off.
 * After a delivery that was acknowledged it may print the next line.
 */
export function printFailures({ deliveries, endpoints }: Sandbox, print: (line: string) => void): void {
  const failures = new Map<string, number>();
  /** The number of attempts of each pending delivery, at its last change. */
  const attemptsBefore = new Map<string, number>();

  async function report({ url, endpointId }: Delivery, attempt: DeliveryAttempt): Promise<void> {
    // A handler in this process, and an endpoint that was removed meanwhile, cannot be checked.
    const findings = endpointId === undefined ? [] : await endpoints.check(endpointId).catch(() => []);
    const isAccepted = findings.some(({ code }) => code === "accepted");
    const problem = isAccepted ? undefined : findings.findLast(({ level }) => level === "problem");
    const reason = problem ? `${problem.text} ${problem.fix ?? ""}` : reasonOf(attempt);
    const line = `${timeText(Date.now())}  WEBHOOK   ${failuresInARow} attempts in a row failed at ${url}. ${reason}`;
    print(`${printableLine(line.trim())}\n`);
  }

  deliveries.watch((delivery) => {
    const { id, url, attempts, status } = delivery;
    const isNew = attempts.length > (attemptsBefore.get(id) ?? 0);
    if (status === "pending") attemptsBefore.set(id, attempts.length);
    else attemptsBefore.delete(id);
    const attempt = attempts.at(-1);
    if (attempt?.cause === "send_changed") return;
    if (status === "delivered") failures.delete(url);
    if (status === "delivered" || !isNew || !attempt) return;
    const count = (failures.get(url) ?? 0) + 1;
    failures.set(url, count);
    if (count === failuresInARow) void report(delivery, attempt);
  });
}

/** Tells how an attempt failed: by the status and the code of its answer, or without an answer. */
function reasonOf({ status, answer, error }: DeliveryAttempt): string {
  if (status === undefined) return `There was no answer (${error}).`;
  const code = /"code":"([a-z_]{1,40})"/.exec(answer)?.[1];
  return `The answer is ${[status, code].filter(Boolean).join(" ")}. Read the log of the app.`;
}

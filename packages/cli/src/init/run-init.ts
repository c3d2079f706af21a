import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { CommandError } from "../command/command-error.ts";
import type { InitCommand } from "../command/command-line.ts";
import type { FileChange } from "./file-change.ts";
import { type Plan, planInit } from "./plan.ts";
import { endLine } from "./settings-files.ts";

/** Adds the kit to an app: shows every change, asks once, and writes. Returns the exit code. @throws CommandError */
export async function runInit(command: InitCommand): Promise<number> {
  // Node warns that removing types is experimental, which a reader of the changes cannot act on.
  process.removeAllListeners("warning");
  const first = planInit(command);
  const chosen = await chooseSession(first, command);
  const page = command.page ?? (await wantsPage(first, command));
  const isFirst = chosen === undefined && page === (command.page ?? false);
  const plan = isFirst ? first : planInit({ ...command, chosen, page });
  process.stdout.write(planText(plan, command));
  if (plan.changes.length === 0 && plan.installs.length === 0) return 0;
  if (plan.refusal !== undefined && command.write === "yes")
    throw new CommandError(`nothing was written. ${plan.refusal}`);
  if (!(await isConfirmed(command))) return 0;
  for (const { path, after } of plan.changes) {
    mkdirSync(dirname(join(command.folder, path)), { recursive: true });
    writeFileSync(join(command.folder, path), after);
  }
  const failed = command.install ? plan.installs.find((install) => !runProgram(command.folder, install)) : undefined;
  if (failed) process.stderr.write(`doorcode: the files are written, but this failed: ${failed.join(" ")}\n`);
  else process.stdout.write(nextSteps({ ...command, page }, plan));
  return failed ? 1 : 0;
}

/** Asks which of several logins of the app a login by phone starts. Without a terminal it is the first one, as a note says. */
async function chooseSession({ choices }: Plan, { write }: InitCommand): Promise<string | undefined> {
  if (choices.length === 0 || write !== "ask" || !process.stdin.isTTY) return undefined;
  const all = [...choices, "the kit's own sessions"];
  const answer = await ask(
    `Which sessions does the login start?\n\n${all.map((each, index) => `  ${index + 1}. ${each}\n`).join("")}\nNumber: `,
  );
  return all[Number(answer) - 1];
}

async function wantsPage({ offersPage, loginPath }: Plan, { write }: InitCommand): Promise<boolean> {
  if (!offersPage || write !== "ask" || !process.stdin.isTTY) return false;
  return !/^n(o)?$/i.test(await ask(`Add the login page of @doorcode/browser, at ${loginPath}? [Y/n] `));
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer.trim();
}

function planText({ changes, installs, notes }: Plan, { install }: InitCommand): string {
  if (changes.length === 0 && installs.length === 0 && notes.length === 0)
    return "Doorcode is already there: nothing to do.\n";
  const commands = installs.map((each) => `  ${each.join(" ")}\n`).join("");
  const title = install ? "To run:" : "To run yourself:";
  return [
    ...changes.map(diffOf),
    ...(installs.length > 0 ? [`${title}\n\n${commands}`] : []),
    ...notes.map((note) => visible(`${note}\n`)),
  ].join("\n");
}

function diffOf({ path, before, after }: FileChange): string {
  const from = before === undefined ? "/dev/null" : path;
  // Lines around a change would show the secrets of an existing .env file, and so would a last line that is only ended.
  const isSecret = path === ".env";
  const options = { context: isSecret ? 0 : 3, headerOptions: FILE_HEADERS_ONLY };
  const shown = isSecret ? endLine(before ?? "") : (before ?? "");
  return colored(visible(createTwoFilesPatch(from, path, shown, after, undefined, undefined, options)));
}

const lineColors = { "+": "green", "-": "red", "@": "cyan" } as const;

/** Colors the lines of a diff, where the output is a terminal that shows colors and `NO_COLOR` is not set. */
function colored(diff: string): string {
  return diff.replace(/^(?:(?:---|\+\+\+) |[-+@]).*$/gm, (line) => {
    const isHeader = /^(?:---|\+\+\+) /.test(line);
    return styleText(isHeader ? "bold" : lineColors[line[0] as keyof typeof lineColors], line);
  });
}

/** Control and format characters of a source must not hide from the terminal what is confirmed. */
function visible(text: string): string {
  return text.replace(/(?![\n\t]|\r\n)[\p{Cc}\p{Cf}]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

async function isConfirmed({ write }: InitCommand): Promise<boolean> {
  if (write === "yes") return true;
  if (write === "no" || !process.stdin.isTTY) {
    process.stdout.write("\nNothing was written. Add --yes to write.\n");
    return false;
  }
  return /^y(es)?$/i.test(await ask("\nMake these changes? [y/N] "));
}

/** On Windows a package manager is a script, which needs a shell. The arguments are constant, so a shell changes none. */
function runProgram(folder: string, [program, ...args]: Plan["installs"][number]): boolean {
  return spawnSync(program, args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" }).status === 0;
}

function nextSteps(
  { install, countries, page }: InitCommand,
  { installs, changes, script, loginPath, lacksUsers }: Plan,
): string {
  const first = !install && installs.length > 0 ? "Install the packages above. Then run" : "Run";
  const kit = changes.find(({ path }) => /(^|[/\\])doorcode\.\w+$/.test(path))?.path ?? "the file doorcode";
  const numbers = `a mobile number of ${countries.join(" or ")} (--countries chooses others), and read the code on http://localhost:4010.`;
  const login = page
    ? `Open ${loginPath} of your app, type\n${numbers}`
    : `Start a login with\nPOST ${loginPath}/start {"phone": "+…"} and ${numbers}\nThe page for it is @doorcode/browser: init adds it with --page.`;
  return `
${first} the script ${script}: it starts the sandbox and your app. ${login}
${lacksUsers ? `Replace findOrCreateUser in ${kit} by your users. ` : ""}Check the deployed endpoint: npx @doorcode/cli check URL
`;
}

import { join, relative, sep } from "node:path";
import { parseEnv } from "node:util";
import type { AppContext } from "./app-context.ts";
import { loadsEnvFile, otherEnvFile } from "./env-file.ts";
import { listeningPort } from "./listening-port.ts";
import type { Host, PackageManager } from "./manifest.ts";
import { readText } from "./own-file.ts";
import { nodesIn } from "./source-file.ts";
import { memberPath } from "./syntax.ts";

/** The script that runs the app with the sandbox. */
export interface DevScript {
  readonly name: string;
  /** The command; undefined if nothing is known to run. */
  readonly command: string | undefined;
  readonly notes: readonly string[];
}

/** How the app is started, and where it receives webhooks. */
export interface DevScriptOptions {
  readonly app: AppContext;
  readonly manager: PackageManager;
  /** The file that creates the app. */
  readonly entry: string | undefined;
  readonly webhookPath: string;
}

/** Writes the script that runs the app with the sandbox, and loads `.env` if the app does not. */
export function devScript({ app, manager, entry, webhookPath }: DevScriptOptions): DevScript {
  const { scripts } = app.manifest;
  const script = ["dev", "start:dev", "start"].find((name) => scripts[name] !== undefined);
  const run = scripts[script ?? ""] ?? "";
  const loads = loadsEnvFile(app, run);
  const file = entry && shellWord(relative(app.folder, entry).split(sep).join("/"));
  const withEnv = run.replace(/^(node|tsx( watch)?) (?=[\w./=@: -]+$)/, "$&--env-file=.env ");
  const ofScript = loads || withEnv === run ? `${manager} run ${script}` : withEnv;
  const program = script === undefined ? file && `node ${loads ? "" : "--env-file=.env "}${file}` : ofScript;
  const port = portOf(app, run);
  return {
    name: ["dev", "dev:sandbox"].find((name) => scripts[name] === undefined) ?? "dev:doorcode",
    command:
      program && `doorcode-sandbox exec --port 4010 --webhook-url http://localhost:${port}${webhookPath} -- ${program}`,
    notes: loads ? [] : [envNote(app)],
  };
}

function envNote(app: AppContext): string {
  const other = otherEnvFile(app);
  if (other !== undefined)
    return `Your app loads ${other}, and not .env: copy the lines of Doorcode from .env into your ${other}.`;
  return "Nothing in your app loads .env. The new script does not need it; elsewhere run node with --env-file=.env, or set its variables.";
}

const usualPorts: Readonly<Partial<Record<Host, number>>> = { sveltekit: 5173 };

function portOf({ folder, host, sources }: AppContext, script: string): number {
  // `next dev -p 4000`, or `PORT=4000 node app.js`.
  const named = Number(/(?:\s-p[ =]|--port[ =]|\bPORT=)(\d+)/.exec(script)?.[1]);
  if (named > 0) return named;
  const inFile = Number(parseEnv(readText(join(folder, ".env")) ?? "").PORT);
  const readsPort = sources.some(({ program }) =>
    [...nodesIn(program)].some((node) => memberPath(node)?.join(".") === "process.env.PORT"),
  );
  if (readsPort && Number.isInteger(inFile) && inFile > 0) return inFile;
  return listeningPort(sources) ?? usualPorts[host] ?? 3000;
}

/** Writes the path of a file as one word of a shell. Double quotes mean the same to the shell of Windows. */
function shellWord(path: string): string {
  // A name that begins with a dash would be an option.
  const file = path.startsWith("-") ? `./${path}` : path;
  const special = /[\\\x22$\x60]/g;
  return /^[\w./-]+$/.test(file) ? file : `"${file.replaceAll(special, "\\$&")}"`;
}

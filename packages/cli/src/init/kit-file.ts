import { type FileStyle, type ImportedName, importLines } from "./imported-name.ts";
import type { AppSession } from "./sessions/app-session.ts";
import type { UserModel } from "./users/user-model.ts";

/** How the kit's file is written. */
export interface KitFileOptions extends FileStyle {
  /** The ISO codes of the countries whose numbers may log in. */
  readonly countries: readonly string[];
  /** The app's own sessions, with the type of the adapter. Default: the kit's. */
  readonly session: AppSession | undefined;
  /** The app's users. Default: a table in memory. */
  readonly users: UserModel | undefined;
  /** What else the file imports and exports, such as the mount of a fetch host. */
  readonly more?: {
    readonly imports: readonly ImportedName[];
    readonly code: string;
    readonly exports: readonly string[];
  };
  /** An option of the kit, such as the store of a host that loads the file several times. */
  readonly option?: string;
}

/** Writes the file that creates the kit. */
export function kitFile(options: KitFileOptions): string {
  const { isModule, hasTypes, session, users, more } = options;
  const fromCore = ["createDoorcode", "serviceCodes"].map((name) => ({ from: "@doorcode/core", name }));
  const imports = importLines(
    [
      ...(users ? users.imports : [{ from: "node:crypto", name: "randomUUID" }]),
      ...fromCore,
      ...(session?.imports ?? []),
      ...(more?.imports ?? []),
    ],
    options,
  );
  const exported = isModule ? "export " : "";
  const names = ["doorcode", ...(session ? ["sessions"] : []), ...(more?.exports ?? [])].join(", ");
  return [
    `${imports.join("\n")}\n\n`,
    hasTypes ? (session?.declarations ?? "") : "",
    usersCode(users, hasTypes),
    `${exported}const doorcode = ${creation(options)};\n`,
    session ? sessionsCode(session, exported, hasTypes) : "",
    more ? `\n${more.code}` : "",
    isModule ? "" : `\nmodule.exports = { ${names} };\n`,
  ].join("");
}

function sessionsCode({ imports, preamble = "", code }: AppSession, exported: string, hasTypes: boolean): string {
  const type = imports.find(({ isType, name }) => isType && name.endsWith("Sessions"))?.name;
  return `\n${preamble}/** The sessions of this app, for phoneLogin and requireLogin. */\n${exported}const sessions${hasTypes ? `: ${type}` : ""} = {\n${code}};\n`;
}

function usersCode(users: UserModel | undefined, hasTypes: boolean): string {
  const phone = hasTypes ? "phone: string" : "phone";
  if (users) {
    return `/** One user for each phone number, also if two logins arrive at the same time. */
async function findOrCreateUser(${phone})${hasTypes ? ": Promise<string>" : ""} {
${users.code}}

`;
  }
  return `// Replace this by your table of users: one user for each phone number.
const users = ${hasTypes ? "new Map<string, string>()" : "new Map()"};
function findOrCreateUser(${phone})${hasTypes ? ": string" : ""} {
  const id = users.get(phone) ?? randomUUID();
  users.set(phone, id);
  return id;
}

`;
}

function creation({ countries, session, option = "" }: KitFileOptions): string {
  const password = "password: process.env.SESSION_PASSWORD";
  return `createDoorcode({
  // In production: ORIGINS=https://app.example.com, the address of your pages. Without it only this machine is served.
  ...(process.env.ORIGINS && { origins: process.env.ORIGINS.split(",") }),
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY },
  login: {
    countries: [${countries.map((code) => `"${code}"`).join(", ")}],
    codes: serviceCodes({ template: "login" }),
    onLogin: ({ phone }) => findOrCreateUser(phone),
${session ? `    ${password}, // of the login's cookies; the session is the app's own\n` : ""}  },
${session ? "" : `  session: { ${password} },\n`}  // Handlers of yours go into webhooks.on: "message.status.update" and "verification.update".
  webhooks: { secret: process.env.WEBHOOK_SECRET },
${option}})`;
}

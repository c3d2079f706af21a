import { globSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import ts from "typescript54";
import { type Answer, openBrowser } from "../test/support/browser.ts";
import { build } from "./build.ts";
import { CliError, print, runScript } from "./cli-error.ts";
import { serveExpress } from "./serve.ts";

/*
 * Prints the sizes of this repository, and how many files of the kit each of four requests enters: `node scripts/run.mjs scripts/sizes.ts`.
 */

const root = join(import.meta.dirname, "..");
const findFiles = (...patterns: string[]) => globSync(patterns, { cwd: root }).map((file) => join(root, file));
const sources = (folder: string) => findFiles(`${folder}/**/*.{ts,tsx,mjs}`);

function printSizes(): void {
  const code = sources("packages/*/src");
  printRow("core", linesAndFiles(sources("packages/core/src")));
  printRow("all packages/*/src", linesAndFiles(code));
  for (const name of ["redis", "postgres", "sandbox"]) printRow(name, linesAndFiles(sources(`packages/${name}/src`)));
  printRow("tests", linesAndFiles([...sources("test"), ...sources("packages/*/test")]));
  printRow("scripts", linesAndFiles(sources("scripts")));
  const lengths = code.flatMap(functionLengths).toSorted((left, right) => left - right);
  printRow("function, median / longest", `${lengths[Math.floor(lengths.length / 2)]} / ${lengths.at(-1)} lines`);
  printRow("names of the main entry", String(countNames(join(root, "packages/core/src/index.ts"))));
  printRow("ARCHITECTURE.md", kilobytes(findFiles("ARCHITECTURE.md")));
  const documents = ["docs/**/*.md", "packages/*/docs/**/*.md", "README.md", "packages/*/README.md"];
  printRow("docs and READMEs", kilobytes(findFiles(...documents)));
}

function linesAndFiles(files: readonly string[]): string {
  const own = files.filter((file) => !file.includes("/node_modules/"));
  const lines = own.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
  return `${lines.toLocaleString("en")} lines / ${own.length} files`;
}

function kilobytes(files: readonly string[]): string {
  return `${(files.reduce((sum, file) => sum + readFileSync(file).byteLength, 0) / 1000).toFixed(1)} KB`;
}

/** Returns the lines of each function that has a name: a declaration, a method, or a function that is the value of a variable. */
function functionLengths(file: string): readonly number[] {
  const source = parse(file);
  const lengths: number[] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    const value = ts.isVariableDeclaration(node) ? node.initializer : node;
    const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node);
    if (isNamed || (value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) && value !== node)) {
      lengths.push(lineOf(node.end) - lineOf(node.getStart(source)) + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lengths;
}

function countNames(file: string): number {
  const clauses = parse(file)
    .statements.filter(ts.isExportDeclaration)
    .map(({ exportClause }) => exportClause);
  return clauses.reduce((sum, clause) => sum + (clause && ts.isNamedExports(clause) ? clause.elements.length : 1), 0);
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

/** Logs in on Express with the memory store, on the built packages, and prints how many files of the kit each request enters. */
async function printEnteredFiles(): Promise<void> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true });
  const { createDoorcode, serviceCodes, signDelivery } = await import("@doorcode/core");
  const { phoneLogin, requireLogin, webhooks } = await import("@doorcode/express");
  const { createSandbox } = await import("@doorcode/sandbox");
  const { default: express } = await import("express");

  // Without an endpoint the sandbox delivers nothing: the only webhook is the one below.
  const sandbox = await createSandbox({ port: 0 });
  const { SERVICE_URL: baseUrl, SERVICE_API_KEY: apiKey, WEBHOOK_SECRET: secret } = sandbox.env;
  const doorcode = createDoorcode({
    service: { baseUrl, apiKey },
    session: { password: "a password of this script, long enough" },
    login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), onLogin: ({ phone }) => phone },
    webhooks: { secret, on: { "verification.update": () => undefined } },
  });
  const app = express().use("/login", phoneLogin(doorcode)).use("/webhooks", webhooks(doorcode));
  app.get("/account", requireLogin(doorcode), (_req, res) => void res.end());
  const { url, close } = await serveExpress(app, 0);
  const browser = openBrowser(url);

  // What runs once in a process, such as a module that is loaded late, is no part of a request: the second login is printed.
  for (const phone of ["+4915123456781", "+4915123456782"]) {
    const start = await countEntered(inspector, () => browser.post("/login/start", { phone }));
    const { code } = await sandbox.inbox.wait({ to: phone });
    const confirm = await countEntered(inspector, () => browser.post("/login/confirm", { code }));
    const { id } = sandbox.verifications.list().find(({ recipient }) => recipient === phone) ?? {};
    const data = { verification_id: id, status: "APPROVED", updated_at: new Date().toISOString() };
    const body = JSON.stringify({ event: "verification.update", data });
    const signature = signDelivery({ secret, body, timestampSeconds: Math.floor(Date.now() / 1000) });
    const headers = { "content-type": "application/json", ...signature };
    const webhook = await countEntered(inspector, () => browser.send("/webhooks", { method: "POST", headers, body }));
    const guard = await countEntered(inspector, () => browser.get("/account"));
    if (phone.endsWith("2"))
      printRow("files of a start / confirm / webhook / guard", [start, confirm, webhook, guard].join(" / "));
  }
  await close();
  await sandbox.close();
  await doorcode.close();
}

/** Counts the files of the kit that run a function until the answer has come. */
async function countEntered(inspector: Session, send: () => Promise<Answer>): Promise<number> {
  await inspector.post("Profiler.takePreciseCoverage");
  const { status, text } = await send();
  if (status >= 300) throw new CliError(`A request was answered ${status}: ${text}`);
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const kit = result.filter((script) => /packages\/(core|express)\/dist\//.test(script.url));
  return kit.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)).length;
}

function printRow(what: string, size: string): void {
  print(`| ${what.padEnd(44)} | ${size.padStart(27)} |`);
}

await runScript(async () => {
  build();
  printSizes();
  await printEnteredFiles();
});

import type { AnyNode, CallExpression } from "acorn";
import type { AppContext } from "../app-context.ts";
import { exportsOf } from "../exports.ts";
import { callChain, callsIn, importedNames, isFunction, keyOf, literalText, memberPath } from "../syntax.ts";
import { type Column, phoneColumn, requiredNote, type UserModel } from "./user-model.ts";

/** Finds the table of users in the migrations of Knex. */
export function knexUsers(app: AppContext): UserModel | undefined {
  const created = app.sources.flatMap(({ program }) => callsIn(program)).find(createsUsers);
  const db = app.sources.flatMap(exportsOf).find(({ file, value }) => {
    const callee = value.type === "CallExpression" ? value.callee : undefined;
    const inner = callee?.type === "CallExpression" ? callee.arguments[0] : undefined;
    return (
      literalText(inner as AnyNode) === "knex" ||
      importedNames(file).get(memberPath(callee)?.[0] ?? "")?.from === "knex"
    );
  });
  const [title, build] = created?.arguments ?? [];
  const table = literalText(title as AnyNode);
  if (!db || table === undefined || !isFunction(build as AnyNode)) return undefined;
  const chains = chainsIn(build as AnyNode);
  const columns = chains.map(({ column }) => column);
  const { phone, isReady } = phoneColumn(columns);
  const local = db.local === "default" ? "db" : db.local;
  const key = phone === "phone" ? "{ phone }" : `{ ${phone}: phone }`;
  const add = isReady
    ? ""
    : `Give the table ${table} a unique number, in a new migration:\n\n  await knex.schema.alterTable("${table}", (table) => {\n    table.string("${phone}").unique();\n  });\n`;
  return {
    idIsNumber: chains.some(
      ({ type, column }) => /increments$/.test(type) && (column.name === "id" || column.name === ""),
    ),
    imports: [{ from: app.specifierOf(db.file.path), name: db.name, local }],
    code: `  await ${local}("${table}").insert(${key}).onConflict("${phone}").merge();
  const user = await ${local}("${table}").where(${key}).first("id");
  return String(user.id);
`,
    suggestion: `${add}${requiredNote(columns, phone)}`,
  };
}

function createsUsers({ callee, arguments: [title] }: CallExpression): boolean {
  const method = callee.type === "MemberExpression" ? keyOf(callee.property) : undefined;
  return method === "createTable" && /^users?$/i.test(literalText(title as AnyNode) ?? "");
}

interface Chain {
  readonly type: string;
  readonly column: Column;
}

/** Reads `table.string("email").notNullable().unique();`. */
function chainsIn(build: AnyNode): readonly Chain[] {
  if (!isFunction(build) || build.body.type !== "BlockStatement") return [];
  return build.body.body.flatMap((statement) => {
    const { methods, first } = callChain(statement.type === "ExpressionStatement" ? statement.expression : statement);
    const type = methods.at(-1);
    if (type === undefined || /^(timestamps|unique|index|foreign|primary)$/.test(type)) return [];
    const isFilled = methods.some((each) => /^(defaultTo|primary|increments|bigIncrements)$/.test(each));
    const name = literalText(first?.arguments[0] as AnyNode) ?? "";
    const isRequired = methods.includes("notNullable") && !isFilled;
    return [{ type, column: { name, isRequired, isUnique: methods.includes("unique") } }];
  });
}

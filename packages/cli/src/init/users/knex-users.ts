import type { AnyNode, CallExpression } from "acorn";
import type { AppContext } from "../app-context.ts";
import { requiredModule } from "../source-file.ts";
import { callChain, calledOrigin, isFunction, literalText, methodOf } from "../syntax.ts";
import { type Column, phoneColumn, suggestionFor, type UserModel } from "./user-model.ts";

/** Finds the table of users in the migrations of Knex. */
export function knexUsers(app: AppContext): UserModel | undefined {
  const created = app.calls.find(createsUsers);
  const db = app.exported.find(({ file, value }) => {
    const required = value.type === "CallExpression" ? requiredModule(value.callee) : undefined;
    return (required ?? calledOrigin(file, value)?.from) === "knex";
  });
  const [title, build] = created?.arguments ?? [];
  const table = literalText(title);
  if (!db || table === undefined || !isFunction(build)) return undefined;
  const chains = chainsIn(build);
  const columns = chains.map(({ column }) => column);
  const column = phoneColumn(columns);
  const { phone, key } = column;
  const local = db.local === "default" ? "db" : db.local;
  const add = `Give the table ${table} a unique number, in a new migration:\n\n  await knex.schema.alterTable("${table}", (table) => {\n    table.string("${phone}").unique();\n  });\n`;
  return {
    idIsNumber: chains.some(
      ({ type, column }) => /increments$/.test(type) && (column.name === "id" || column.name === ""),
    ),
    imports: [{ from: app.specifierOf(db.file.path), name: db.name, local }],
    code: `  await ${local}("${table}").insert(${key}).onConflict("${phone}").merge();
  const user = await ${local}("${table}").where(${key}).first("id");
  return String(user.id);
`,
    suggestion: suggestionFor(column, add, columns),
  };
}

function createsUsers(call: CallExpression): boolean {
  const [title] = call.arguments;
  return methodOf(call) === "createTable" && /^users?$/i.test(literalText(title) ?? "");
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
    const name = literalText(first?.arguments[0]) ?? "";
    const isRequired = methods.includes("notNullable") && !isFilled;
    return [{ type, column: { name, isRequired, isUnique: methods.includes("unique") } }];
  });
}

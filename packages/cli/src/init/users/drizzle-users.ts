import type { AnyNode, CallExpression } from "acorn";
import type { AppContext } from "../app-context.ts";
import { callChain, calledOrigin, isFunction, keyOf, literalText, memberPath } from "../syntax.ts";
import { type Column, phoneColumn, suggestionFor, type UserModel } from "./user-model.ts";

/** Finds the table of users of Drizzle, in PostgreSQL or SQLite. */
export function drizzleUsers(app: AppContext): UserModel | undefined {
  const table = app.exported.find(({ local, value }) => /^users?(table)?$/i.test(local) && createsTable(value));
  const db = app.exported.find(({ file, value }) => {
    const origin = calledOrigin(file, value);
    return origin?.name === "drizzle" && origin.from.startsWith("drizzle-orm/");
  });
  if (!table || !db || table.value.type !== "CallExpression") return undefined;
  const definitions = definitionsOf(table.value);
  const columns = definitions.map(columnOf);
  const column = phoneColumn(columns);
  const { phone, key } = column;
  const users = table.local;
  const id = definitions.find(({ name }) => name === "id");
  const add = `Give the table ${users} a unique number, then run \`npx drizzle-kit generate\` and \`npx drizzle-kit migrate\`:\n\n  ${phone}: text("${phone}").unique(),\n`;
  return {
    idIsNumber: /^(serial|integer|bigserial|bigint)$/.test(id?.type ?? ""),
    imports: [db, table].map(({ file, name, local }) => ({ from: app.specifierOf(file.path), name, local })),
    // The update changes nothing, and lets the statement return a user that is there already.
    code: `  const [user] = await ${db.local}
    .insert(${users})
    .values(${key})
    .onConflictDoUpdate({ target: ${users}.${phone}, set: ${key} })
    .returning({ id: ${users}.id });
  if (!user) throw new Error("The database has returned no user.");
  return String(user.id);
`,
    suggestion: suggestionFor(column, add, columns),
  };
}

function createsTable(value: AnyNode): boolean {
  return value.type === "CallExpression" && /^(pg|sqlite)Table$/.test(memberPath(value.callee)?.[0] ?? "");
}

interface Definition {
  readonly name: string;
  /** The function of the type: `serial`. */
  readonly type: string;
  /** The methods that follow: `notNull`. */
  readonly methods: readonly string[];
}

function definitionsOf(table: CallExpression): readonly Definition[] {
  const [first, given] = table.arguments;
  // In `(t) => ({ id: t.serial() })` a function returns the columns.
  const fields = isFunction(given) ? given.body : given;
  if (literalText(first) === undefined || fields?.type !== "ObjectExpression") return [];
  return fields.properties.flatMap((each) => {
    const name = each.type === "Property" ? keyOf(each.key) : undefined;
    if (each.type !== "Property" || name === undefined) return [];
    const { methods } = callChain(each.value);
    return [{ name, type: methods.at(-1) ?? "", methods }];
  });
}

function columnOf({ name, type, methods }: Definition): Column {
  const isFilled =
    methods.some((each) => /^(default|\$default|primaryKey|generated)/.test(each)) || /serial$/.test(type);
  return { name, isRequired: methods.includes("notNull") && !isFilled, isUnique: methods.includes("unique") };
}

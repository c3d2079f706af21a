import { join } from "node:path";
import type { AppContext } from "../app-context.ts";
import { isOwnFile, readText } from "../own-file.ts";
import { calledOrigin } from "../syntax.ts";
import { type Column, type PhoneColumn, phoneColumn, suggestionFor, type UserModel } from "./user-model.ts";

const schemas = ["prisma/schema.prisma", "schema.prisma", "src/prisma/schema.prisma"];

/** Finds the model User in the schema of Prisma. */
export function prismaUsers(app: AppContext): UserModel | undefined {
  for (const schema of schemas) {
    const path = join(app.folder, schema);
    const text = isOwnFile(app.folder, path) ? readText(path) : undefined;
    // A default such as "{}" has braces, too. The last one of a model stands in its own line.
    const [, name = "", body] = /^model\s+(Users?)\s*\{(.*?)^\s*\}/ims.exec(text ?? "") ?? [];
    const client = body === undefined ? undefined : findClient(app);
    if (body === undefined || !client) continue;
    const columns = columnsOf(body);
    const column = phoneColumn(columns);
    const add = `Give the model ${name} in ${schema} a unique number, then run \`npx prisma migrate dev --name phone\`:\n\n  ${column.phone} String? @unique\n`;
    return {
      idIsNumber: /^\s*id\s+Int\b/m.test(body),
      imports: [client],
      code: codeOf(`${client.local}.${name[0]?.toLowerCase()}${name.slice(1)}`, column, app),
      suggestion: suggestionFor(column, add, columns),
    };
  }
  return undefined;
}

function codeOf(model: string, { key }: PhoneColumn, { typed }: AppContext): string {
  return `  const user = await ${model}
    .upsert({ where: ${key}, create: ${key}, update: {} })
    .catch((error${typed(": { code?: string }")}) => {
      // Another login has created the user at the same time.
      if (error.code === "P2002") return ${model}.findUniqueOrThrow({ where: ${key} });
      throw error;
    });
  return String(user.id);
`;
}

/** Finds the client that the app exports. */
function findClient(app: AppContext) {
  for (const { file, name, local, value } of app.exported) {
    const created = value.type === "LogicalExpression" ? value.right : value;
    const origin = calledOrigin(file, created);
    if (origin?.name === "PrismaClient") return { from: app.specifierOf(file.path), name, local };
  }
  return undefined;
}

function columnsOf(body: string): readonly Column[] {
  return body.split("\n").flatMap((line) => {
    const [, name, type = "", rest = ""] = /^\s*(\w+)\s+(\w+\S*)(.*)$/.exec(line) ?? [];
    if (name === undefined || !/^(String|Int|BigInt|Float|Decimal|Boolean|DateTime|Json|Bytes)\b/.test(type)) return [];
    const isFilled = /[?\]]$/.test(type) || /@(default|updatedAt|id)\b/.test(rest);
    return [{ name, isRequired: !isFilled, isUnique: /@(unique|id)\b/.test(rest) }];
  });
}

import { join } from "node:path";
import type { AppContext } from "../app-context.ts";
import { exportsOf } from "../exports.ts";
import { isOwnFile, readText } from "../own-file.ts";
import { importedNames, memberPath } from "../syntax.ts";
import { type Column, phoneColumn, requiredNote, type UserModel } from "./user-model.ts";

const schemas = ["prisma/schema.prisma", "schema.prisma", "src/prisma/schema.prisma"];

/** Finds the model User in the schema of Prisma. */
export function prismaUsers(app: AppContext): UserModel | undefined {
  for (const schema of schemas) {
    const path = join(app.folder, schema);
    const text = isOwnFile(app.folder, path) ? readText(path) : undefined;
    const [, name = "", body] = /^model\s+(Users?)\s*\{([^}]*)\}/im.exec(text ?? "") ?? [];
    const client = body === undefined ? undefined : findClient(app);
    if (body === undefined || !client) continue;
    const columns = columnsOf(body);
    const { phone, isReady } = phoneColumn(columns);
    const add = isReady
      ? ""
      : `Give the model ${name} in ${schema} a unique number, then run \`npx prisma migrate dev --name phone\`:\n\n  ${phone} String? @unique\n`;
    return {
      idIsNumber: /^\s*id\s+Int\b/m.test(body),
      imports: [client],
      code: codeOf(`${client.local}.${name[0]?.toLowerCase()}${name.slice(1)}`, phone, app.hasTypes),
      suggestion: `${add}${requiredNote(columns, phone)}`,
    };
  }
  return undefined;
}

function codeOf(model: string, phone: string, hasTypes: boolean): string {
  const where = phone === "phone" ? "{ phone }" : `{ ${phone}: phone }`;
  return `  const user = await ${model}
    .upsert({ where: ${where}, create: ${where}, update: {} })
    .catch((error${hasTypes ? ": { code?: string }" : ""}) => {
      // Another login has created the user at the same time.
      if (error.code === "P2002") return ${model}.findUniqueOrThrow({ where: ${where} });
      throw error;
    });
  return String(user.id);
`;
}

/** Finds the client that the app exports. */
function findClient(app: AppContext) {
  for (const { file, name, local, value } of app.sources.flatMap(exportsOf)) {
    const created = value.type === "LogicalExpression" ? value.right : value;
    const imported = importedNames(file).get(
      created.type === "NewExpression" ? (memberPath(created.callee)?.[0] ?? "") : "",
    );
    if (imported?.name === "PrismaClient") return { from: app.specifierOf(file.path), name, local };
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

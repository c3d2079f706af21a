import { describe, expect, test } from "vitest";
import { expressJwtApp, jsonwebtokenApp, nextApp, passportApp } from "./apps-with-logins.ts";
import { initApp } from "./init-app.ts";
import { sampleApps } from "./sample-apps.ts";

/** The function of the kit's file that finds or creates a user. */
const functionIn = (text: string | undefined) => /async function findOrCreateUser[\s\S]*?\n}\n/.exec(text ?? "")?.[0];

describe("doorcode init in an app that has users", () => {
  test("creates a user of Prisma in one statement, and reads the one of another login", async () => {
    const { after, output } = await initApp(expressJwtApp);
    expect(functionIn(after["src/doorcode.ts"])).toBe(`async function findOrCreateUser(phone: string): Promise<string> {
  const user = await prisma.user
    .upsert({ where: { phone }, create: { phone }, update: {} })
    .catch((error: { code?: string }) => {
      // Another login has created the user at the same time.
      if (error.code === 'P2002') return prisma.user.findUniqueOrThrow({ where: { phone } });
      throw error;
    });
  return String(user.id);
}
`);
    expect(after["src/doorcode.ts"]).toContain("import prisma from './client';");
    expect(output).toContain("Give the model User in prisma/schema.prisma a unique number");
    expect(output).toContain("  phone String? @unique");
    expect(output).toContain("make nullable, or fill in findOrCreateUser: email, username.");
  });

  test("creates a user of Drizzle in one statement", async () => {
    const { after, output } = await initApp(nextApp);
    expect(functionIn(after["doorcode.ts"])).toBe(`async function findOrCreateUser(phone: string): Promise<string> {
  const [user] = await db
    .insert(users)
    .values({ phone })
    .onConflictDoUpdate({ target: users.phone, set: { phone } })
    .returning({ id: users.id });
  if (!user) throw new Error("The database has returned no user.");
  return String(user.id);
}
`);
    expect(output).toContain('  phone: text("phone").unique(),');
    expect(output).toContain("make nullable, or fill in findOrCreateUser: email, passwordHash.");
  });

  test("reads the columns of Drizzle that a function returns", async () => {
    const columns = "id: t.integer().primaryKey(), phoneNumber: t.text().unique(), name: t.text().notNull()";
    const schema = `import { pgTable } from 'drizzle-orm/pg-core';\nexport const users = pgTable('users', (t) => ({ ${columns} }));\n`;
    const { after, output } = await initApp(nextApp, { "lib/db/schema.ts": schema });
    expect(functionIn(after["doorcode.ts"])).toContain(".values({ phoneNumber: phone })");
    expect(output).toContain("make nullable, or fill in findOrCreateUser: name.");
  });

  test("creates a user of Mongoose by its unique number, and never takes another one", async () => {
    const { after, output } = await initApp(passportApp);
    expect(functionIn(after["doorcode.js"])).toBe(`async function findOrCreateUser(phone) {
  await User.updateOne({ phone }, { $setOnInsert: { phone } }, { upsert: true }).catch((error) => {
    // Another login has created the user at the same time.
    if (error.code !== 11000) throw error;
  });
  const user = await User.findOne({ phone });
  // Without the field in the schema, Mongoose would ignore it and find somebody else.
  if (user?.phone !== phone) throw new Error('The model User needs a unique phone.');
  return String(user._id);
}
`);
    expect(output).toContain("  email: not required, and sparse: true");
    expect(output).not.toContain("Give the schema of User a unique number");
  });

  test("creates a user of Knex in one statement", async () => {
    const { after, output } = await initApp(jsonwebtokenApp);
    expect(functionIn(after["doorcode.ts"])).toBe(`async function findOrCreateUser(phone: string): Promise<string> {
  await db('users').insert({ phone }).onConflict('phone').merge();
  const user = await db('users').where({ phone }).first('id');
  return String(user.id);
}
`);
    expect(output).toContain(
      '  await knex.schema.alterTable("users", (table) => {\n    table.string("phone").unique();',
    );
    expect(output).toContain("make nullable, or fill in findOrCreateUser: email.");
  });

  test("takes the users of Prisma, and not the accounts of next-auth", async () => {
    const schema = `model Account {\n  id Int @id\n}\n${expressJwtApp.files["prisma/schema.prisma"]}`;
    const { after } = await initApp(expressJwtApp, { "prisma/schema.prisma": schema });
    expect(after["src/doorcode.ts"]).toContain("await prisma.user\n");
  });

  test.each(["test/users.js", "src/user.test.js", "dist/user.js"])("looks for no users in %s", async (path) => {
    const model = "const { model, Schema } = require('mongoose');\nexports.User = model('User', new Schema({}));\n";
    const { after } = await initApp(sampleApps["Express 4, CommonJS"], { [path]: model });
    expect(after["doorcode.js"]).toContain("const users = new Map()");
  });

  test("takes the column that the app has for the number, also below a default with braces", async () => {
    const columns = 'settings Json @default("{}")\n  phoneNumber String? @unique\n  bio ';
    const schema = expressJwtApp.files["prisma/schema.prisma"]?.replace("bio ", columns) ?? "";
    const { after, output } = await initApp(expressJwtApp, { "prisma/schema.prisma": schema });
    expect(after["src/doorcode.ts"]).toContain("where: { phoneNumber: phone }");
    expect(output).not.toContain("a unique number");
  });

  test.each([
    { title: "exports no client", files: { "src/client.ts": "export const prisma = undefined;\n" } },
    { title: "has no model of users", files: { "prisma/schema.prisma": "model Article {\n  id Int @id\n}\n" } },
  ])("keeps users in memory when the app $title", async ({ files }) => {
    const { after, output } = await initApp(expressJwtApp, files);
    expect(after["src/doorcode.ts"]).toContain("const users = new Map<string, string>();");
    expect(output).toContain("Replace findOrCreateUser");
  });
});

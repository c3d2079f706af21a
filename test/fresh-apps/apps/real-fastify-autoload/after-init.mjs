// What a person does after `doorcode init`: the app's own users in place of a table in memory.
import { readFileSync, writeFileSync } from "node:fs";

function edit(path, pattern, replacement) {
  const text = readFileSync(path, "utf8");
  if (!pattern.test(text)) throw new Error(`${path} has no ${pattern}.`);
  writeFileSync(path, text.replace(pattern, replacement));
}

const users = `async function findOrCreateUser(phone) {
  const user = (await findUserByPhone(phone)) ?? (await createUser({ phone }));
  return String(user.id);
}
`;
edit("doorcode.js", /\/\/ Replace this by your table of users[\s\S]*?\n}\n/, users);
edit("doorcode.js", /^import \{ randomUUID \}.*/, 'import { createUser, findUserByPhone } from "./users.js";');

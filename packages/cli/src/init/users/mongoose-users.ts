import type { AnyNode } from "acorn";
import type { AppContext } from "../app-context.ts";
import type { SourceFile } from "../source-file.ts";
import { declaredValue, keyOf, literalText, memberPath, namesFrom, propertyOf } from "../syntax.ts";
import { type Column, type PhoneColumn, phoneColumn, type UserModel } from "./user-model.ts";

/** Finds the model User of Mongoose. */
export function mongooseUsers(app: AppContext): UserModel | undefined {
  for (const { file, name, local, value } of app.exported) {
    const [title, schema] = modelArguments(value);
    if (!/^users?$/i.test(literalText(title) ?? "") || namesFrom(file, "mongoose").length === 0) continue;
    const columns = columnsOf(file, schema);
    const column = phoneColumn(columns);
    const model = name === "default" && local === "default" ? "User" : local;
    return {
      idIsNumber: false,
      imports: [{ from: app.specifierOf(file.path), name, local: model }],
      code: codeOf(model, column),
      suggestion: suggestionOf(model, column, columns),
    };
  }
  return undefined;
}

function codeOf(model: string, { phone, key }: PhoneColumn): string {
  return `  await ${model}.updateOne(${key}, { $setOnInsert: ${key} }, { upsert: true }).catch((error) => {
    // Another login has created the user at the same time.
    if (error.code !== 11000) throw error;
  });
  const user = await ${model}.findOne(${key});
  // Without the field in the schema, Mongoose would ignore it and find somebody else.
  if (user?.${phone} !== phone) throw new Error("The model ${model} needs a unique ${phone}.");
  return String(user._id);
`;
}

/** A field of a schema. */
interface Field extends Column {
  /** Whether only one user may lack it: its unique index is not sparse. */
  readonly isLackedOnce: boolean;
}

function suggestionOf(model: string, { phone, isReady }: PhoneColumn, fields: readonly Field[]): string {
  const add = `Give the schema of ${model} a unique number:\n\n  ${phone}: { type: String, unique: true, sparse: true },\n`;
  const lines = fields.flatMap(({ name, isRequired, isLackedOnce }) => {
    const changes = [...(isRequired ? ["not required"] : []), ...(isLackedOnce ? ["sparse: true"] : [])];
    return name === phone || changes.length === 0 ? [] : [`  ${name}: ${changes.join(", and ")}\n`];
  });
  const others = `\nA new user has only a number. Change, or fill in findOrCreateUser:\n\n${lines.join("")}`;
  return `${isReady ? "" : add}${lines.length > 0 ? others : ""}`;
}

function modelArguments(value: AnyNode): readonly (AnyNode | undefined)[] {
  const found = value.type === "LogicalExpression" ? value.right : value;
  const isModel = found.type === "CallExpression" && memberPath(found.callee)?.at(-1) === "model";
  return isModel ? found.arguments : [];
}

function columnsOf(file: SourceFile, schema: AnyNode | undefined): readonly Field[] {
  const created = schema?.type === "Identifier" ? declaredValue(file, schema.name) : schema;
  const [fields] = created?.type === "NewExpression" || created?.type === "CallExpression" ? created.arguments : [];
  if (fields?.type !== "ObjectExpression") return [];
  return fields.properties.flatMap((each) => {
    const name = each.type === "Property" ? keyOf(each.key) : undefined;
    if (each.type !== "Property" || name === undefined) return [];
    const isSet = (option: string) => {
      const value = propertyOf(each.value, option);
      return value !== undefined && !(value.type === "Literal" && value.value === false);
    };
    const isUnique = isSet("unique");
    const isRequired = isSet("required") && !isSet("default");
    return [{ name, isRequired, isUnique, isLackedOnce: isUnique && !isSet("sparse") }];
  });
}

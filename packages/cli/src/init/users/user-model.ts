import type { ImportedName } from "../imported-name.ts";

/** The users of an app, as the code that finds or creates one by phone number. */
export interface UserModel {
  /** Whether the id of a user is a number. The kit's is always a text. */
  readonly idIsNumber: boolean;
  /** What the code imports. */
  readonly imports: readonly ImportedName[];
  /** The body of `findOrCreateUser(phone)`. Two calls at the same time find the same user. */
  readonly code: string;
  /** The change of the model or the database that the developer has to make. */
  readonly suggestion: string;
}

/** A column of a table of users. */
export interface Column {
  readonly name: string;
  /** Whether a row needs a value that init does not know. */
  readonly isRequired: boolean;
  readonly isUnique: boolean;
}

/** The column for the number, and the object literal with which the code fills it. */
export interface PhoneColumn {
  readonly phone: string;
  readonly key: string;
  /** Whether the app has the column, and unique. */
  readonly isReady: boolean;
}

/** Finds the column for the number: an existing one, or `phone`, which the developer adds. */
export function phoneColumn(columns: readonly Column[]): PhoneColumn {
  const found = columns.find(({ name }) => /^(phone|mobile)(_?number)?$/i.test(name));
  const phone = found?.name ?? "phone";
  return { phone, key: phone === "phone" ? "{ phone }" : `{ ${phone}: phone }`, isReady: found?.isUnique ?? false };
}

/** Suggests to add the column for the number if it is not ready, and names the columns without which no user can be created. */
export function suggestionFor({ phone, isReady }: PhoneColumn, add: string, columns: readonly Column[]): string {
  const names = columns.filter(({ name, isRequired }) => isRequired && name !== phone).map(({ name }) => name);
  const note = `\nA new user has only a number, so make nullable, or fill in findOrCreateUser: ${names.join(", ")}.`;
  return `${isReady ? "" : add}${names.length > 0 ? note : ""}`;
}

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

/** Finds the column for the number: an existing one, or `phone`, which the developer adds. */
export function phoneColumn(columns: readonly Column[]): { readonly phone: string; readonly isReady: boolean } {
  const found = columns.find(({ name }) => /^(phone|mobile)(_?number)?$/i.test(name));
  return { phone: found?.name ?? "phone", isReady: found?.isUnique ?? false };
}

/** Names the columns without which no user can be created. */
export function requiredNote(columns: readonly Column[], phone: string): string {
  const names = columns.filter(({ name, isRequired }) => isRequired && name !== phone).map(({ name }) => name);
  if (names.length === 0) return "";
  return `\nA new user has only a number, so make nullable, or fill in findOrCreateUser: ${names.join(", ")}.`;
}

/** The phone number of a user. Neighbours are in different blocks of numbers, as they are in life. */
export function phoneOf(index: number): string {
  return `+49151${20_000_000 + ((index * 7_654_321) % 10_000_000)}`;
}

/** The ids of so many users, by their phone number. */
export function createUsers(count: number): Map<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [phoneOf(index), `user_${index}`]));
}

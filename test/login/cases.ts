import { strategies } from "../support/login-bench.ts";
import { places } from "../support/places.ts";

/** Every place, with both ways to own the code. */
export const cases = places.flatMap((place) => strategies.map((strategy) => ({ place, ...strategy })));

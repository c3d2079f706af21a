import { z } from "zod";
import { type Country, isCountry, parseE164 } from "./phone-number.ts";

/** A table by country: ISO 3166 codes, and `default` for every country that it does not name. */
export type CountryTable<Value> = {
  /** The value for every country that the table does not name. */
  readonly default: Value;
} & { readonly [Code in Country]?: Value };

/** One value for every country, or a table: `{ default: ["SMS"], BR: ["WHATSAPP", "SMS"] }`. */
export type ByCountry<Value> = Value | CountryTable<Value>;

/** Creates the shape of an option that may differ by country. It always gives a table. @internal */
export function byCountryOption<Value>(value: z.ZodType<Value>): z.ZodType<CountryTable<Value>> {
  const table = z.record(z.string(), value).superRefine((values, context) => {
    const unknown = Object.keys(values).find((country) => country !== "default" && !isCountry(country));
    const message = 'expected an ISO 3166 code such as "GB"';
    if (unknown !== undefined) context.addIssue({ code: "custom", path: [unknown], message });
  });
  return z.unknown().transform((given, context): CountryTable<Value> => {
    const isTable = typeof given === "object" && given !== null && Object.hasOwn(given, "default");
    const parsed = table.safeParse(isTable ? given : { default: given });
    if (parsed.success) return parsed.data as CountryTable<Value>;
    for (const issue of parsed.error.issues) {
      context.issues.push({
        ...issue,
        path: isTable ? issue.path : issue.path.slice(1),
        input: given,
      } as z.core.$ZodRawIssue);
    }
    return z.NEVER;
  });
}

/** Returns the value for the country of a number. */
export function forNumber<Value>(table: CountryTable<Value>, phone: string): Value {
  return forCountry(table, parseE164(phone)?.country);
}

/** Returns the value for a country. */
export function forCountry<Value>(table: CountryTable<Value>, country: string | undefined): Value {
  return table[country as Country] ?? table.default;
}

/** Returns the countries that a table names. */
export function namedCountries(table: CountryTable<unknown>): readonly string[] {
  return Object.keys(table).filter((country) => country !== "default");
}

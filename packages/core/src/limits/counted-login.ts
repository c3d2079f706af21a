import { z } from "zod";

/** A device that has proven the number: the one that did so last, or any other. */
export type KnownDevice = "newest" | "other";

/** What a login has added to the counters, kept with the login until it is confirmed. */
export interface CountedLogin {
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  /** The fingerprints of the client's address and network. */
  readonly address: string;
  readonly network: string;
  /** True for a number that was proven a day ago or longer. */
  readonly knownNumber: boolean;
  /** The device, if it has proven the number before: then it has failures and codes of its own. */
  readonly knownDevice?: KnownDevice | undefined;
  /** The number of codes that count in the groups: the first one, and each one after the second. */
  readonly added: number;
  /** True if the number was already proven within a day: a person counts once a day. */
  readonly provenToday: boolean;
  /** When the number was last proven, as Unix milliseconds; `undefined` if it never was, or longer ago than the kit remembers. */
  readonly lastProvenAt?: number | undefined;
  /** The digest of the device's id; `undefined` for a browser without one. */
  readonly device?: string | undefined;
  /** The place of the device among those that have proven the number, and the place that was taken last. */
  readonly devicePlace: number;
  readonly newestPlace: number;
}

/** The shape of a counted login in the store. */
export const countedLoginShape: z.ZodType<CountedLogin> = z.object({
  country: z.string(),
  address: z.string(),
  network: z.string(),
  knownNumber: z.boolean(),
  knownDevice: z.enum(["newest", "other"]).optional(),
  added: z.number(),
  provenToday: z.boolean(),
  lastProvenAt: z.number().optional(),
  device: z.string().optional(),
  devicePlace: z.number(),
  newestPlace: z.number(),
});

/** Tells whether a number or a device was proven before: then the groups of the login do not limit it. */
export function isKnown({ knownNumber, knownDevice }: Pick<CountedLogin, "knownNumber" | "knownDevice">): boolean {
  return knownNumber || knownDevice !== undefined;
}

/** What a confirmed login proves: a number by a device, or, if the app has refused it, nothing. */
export interface ProvenBy {
  /** The digest of the device's id. A `verify` has none: it belongs to no user, so no device becomes that of one. */
  readonly device?: string;
}

import { appCodes, type Channel, type Country, createDoorcode, type LoginOptions, serviceCodes } from "@doorcode/core";
import type { Same } from "./kit.ts";

const codes = serviceCodes({ template: "login", channels: ["WHATSAPP", "SMS"] });

// An editor completes the countries, and a code that is no country is an error before the start.
createDoorcode({ login: { countries: ["DE", "GB"], codes, limits: { prices: { DE: 0.08, other: 0.2 } } } });
createDoorcode({ login: { countries: "any", codes } });
// @ts-expect-error the United Kingdom is GB
createDoorcode({ login: { countries: ["UK"], codes } });
// @ts-expect-error "any" is no entry of a list
createDoorcode({ login: { countries: ["DE", "any"], codes } });
// @ts-expect-error prices are of countries, too
createDoorcode({ login: { countries: ["GB"], codes, limits: { prices: { UK: 0.05 } } } });

// A list that is not written in the program is checked at start.
const fromEnvironment = (process.env.COUNTRIES ?? "DE").split(",") as Country[];
createDoorcode({ login: { countries: fromEnvironment, codes } });

// Channels are an open list, because the specification does not name all of them: `string` itself would complete nothing.
const isText: Same<Channel, string> extends never ? true : false = true;
createDoorcode({ login: { countries: ["DE"], codes, numberTypes: { VOICE: ["FIXED_LINE"], PIGEON: ["MOBILE"] } } });
export const offered: readonly LoginOptions["codes"][] = [
  serviceCodes({ template: "login", channels: ["PIGEON"] }),
  appCodes({ send: () => undefined, channels: [isText ? "EMAIL" : "SMS"] }),
];

// The dispatcher of an app may be of another undici than the kit's: @types/node has the types of undici 7.
declare const ofUndici7: NonNullable<RequestInit["dispatcher"]>;
createDoorcode({
  service: { baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_API_KEY, dispatcher: ofUndici7 },
});

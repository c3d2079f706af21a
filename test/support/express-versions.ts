import express from "express";
import express4 from "express4";

/** A version of Express that the adapter supports. */
export interface ExpressVersion {
  readonly name: string;
  readonly express: typeof express;
}

/** Every version. Their types differ; what the tests call does not. */
export const expressVersions: readonly ExpressVersion[] = [
  { name: "Express 5", express },
  { name: "Express 4", express: express4 as unknown as typeof express },
];

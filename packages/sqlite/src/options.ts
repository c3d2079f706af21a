import { type Clock, clockOption, secondsOption } from "@doorcode/core/store";
import { z } from "zod";

/** How much of the last moment a power cut may take: `normal` is writes of the last moment, `full` is nothing. */
export type Synchronous = "normal" | "full";

/** Options of a store or an inbox in a file. */
export interface SqliteFileOptions {
  /** The path of the file. It is created if it is absent, readable by its owner alone. */
  readonly file: string;
  /** The time for which a function waits while other processes write, from 0.001 to 60; then it rejects. Default: 2. */
  readonly timeoutSeconds?: number;
  /** The clock of lifetimes and leases. All processes of a file need the same time. Default: the machine's clock. */
  readonly clock?: Clock;
}

const expectedFile = 'expected the path of a file, such as "./doorcode.sqlite"';

/** A type, because an interface is no shape of zod. */
type FileShape = {
  readonly file: z.ZodType<string>;
  readonly timeoutSeconds: z.ZodType<number, number | undefined>;
  readonly clock: z.ZodType<Clock, Clock | undefined>;
  readonly synchronous: z.ZodType<Synchronous, Synchronous | undefined>;
};

/** Creates the shape of {@link SqliteFileOptions} and of the option `synchronous`, which has this default. */
export function fileOptions(synchronous: Synchronous): FileShape {
  return {
    file: z
      .string(expectedFile)
      .min(1, expectedFile)
      .refine((file) => file !== ":memory:", expectedFile),
    timeoutSeconds: secondsOption(0.001, 60).default(2),
    clock: clockOption,
    synchronous: z.enum(["normal", "full"], 'expected "normal" or "full"').default(synchronous),
  };
}

/** The options as a developer writes them. */
export const exampleOptions = '{ file: "./doorcode.sqlite" }';

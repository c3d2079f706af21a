import fc from "fast-check";

/** An invariant of a parser. The tests check it on a few hundred inputs, `npm run fuzz` on a million. */
export interface ParserProperty {
  readonly title: string;
  /** Checks the invariant on random inputs. Returns the smallest input that breaks it, if one does. */
  check(run: PropertyRun): Promise<PropertyResult>;
}

/** How much is checked. */
export interface PropertyRun {
  readonly inputs: number;
  /** The seed of the inputs. Default: a random one. */
  readonly seed?: number;
  /** The time after which no further input is made. Default: none. */
  readonly maxMilliseconds?: number;
}

/** What was checked. */
export interface PropertyResult {
  /** The number of inputs. It is smaller than asked for if the time was over. */
  readonly inputs: number;
  /** The seed and the smallest input for which the invariant does not hold; `undefined` if it holds. */
  readonly failure: string | undefined;
}

/** Creates a property that `holds` decides for each input: it throws if the invariant is broken. */
export function createProperty<Input>(
  title: string,
  inputs: fc.Arbitrary<Input>,
  holds: (input: Input) => void | Promise<void>,
): ParserProperty {
  return {
    title,
    async check({ inputs: numRuns, seed, maxMilliseconds }) {
      const details = await fc.check(
        fc.asyncProperty(inputs, async (input) => holds(input)),
        {
          numRuns,
          ...(seed !== undefined && { seed }),
          ...(maxMilliseconds !== undefined && { interruptAfterTimeLimit: maxMilliseconds }),
        },
      );
      return { inputs: details.numRuns, failure: details.failed ? fc.defaultReportMessage(details) : undefined };
    },
  };
}

/** Text in which a few places were changed: characters removed, repeated, or replaced by others. */
export function mutated(texts: fc.Arbitrary<string>, strangers: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.record({ at: fc.nat(200), removed: fc.nat(3), added: fc.oneof(fc.constant(""), strangers) });
  return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) =>
    changes.reduce((before, { at, removed, added }) => {
      const place = before.length === 0 ? 0 : at % (before.length + 1);
      return before.slice(0, place) + added + before.slice(place + removed);
    }, text),
  );
}

/** Any text: of ASCII, of all of Unicode, or with lone surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

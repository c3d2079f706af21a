/** The values that each dimension of a test can take. */
export type Dimensions = Readonly<Record<string, readonly unknown[]>>;

/** One value of each dimension. */
export type Combination<Of extends Dimensions> = { readonly [Name in keyof Of]: Of[Name][number] };

/**
 * Chooses few combinations in which every value occurs together with every value of each other dimension.
 *
 * Most faults need one value or two, so this finds nearly what all combinations would find. The choice is always the same.
 */
export function pairwise<const Of extends Dimensions>(dimensions: Of): readonly Combination<Of>[] {
  const names = Object.keys(dimensions);
  const sizes = names.map((name) => dimensions[name]?.length ?? 0);
  const missing = new Set(allPairs(sizes));
  const combinations: Combination<Of>[] = [];
  for (const pair of missing) {
    const indexes = complete(pair, sizes, missing);
    for (const covered of pairsOf(indexes)) missing.delete(covered);
    const entries = names.map((name, dimension) => [name, dimensions[name]?.[indexes[dimension] ?? 0]]);
    combinations.push(Object.fromEntries(entries));
  }
  return combinations;
}

/** Two values, each as the number of its dimension and its own number in it. */
type Pair = `${number}.${number} ${number}.${number}`;

function* allPairs(sizes: readonly number[]): Generator<Pair> {
  for (const [left, leftSize] of sizes.entries())
    for (let leftValue = 0; leftValue < leftSize; leftValue++)
      for (const [right, rightSize] of sizes.entries())
        for (let rightValue = 0; left < right && rightValue < rightSize; rightValue++)
          yield `${left}.${leftValue} ${right}.${rightValue}`;
}

function pairsOf(indexes: readonly (number | undefined)[]): Pair[] {
  const chosen = indexes.flatMap((value, dimension) => (value === undefined ? [] : [[dimension, value] as const]));
  return chosen.flatMap(([left, leftValue]) =>
    chosen
      .filter(([right]) => left < right)
      .map(([right, rightValue]): Pair => `${left}.${leftValue} ${right}.${rightValue}`),
  );
}

/** Adds to a pair, dimension by dimension, the value that covers the most missing pairs. */
function complete(pair: Pair, sizes: readonly number[], missing: ReadonlySet<Pair>): readonly number[] {
  const indexes: (number | undefined)[] = sizes.map(() => undefined);
  for (const place of pair.split(" ")) {
    const [dimension = 0, value = 0] = place.split(".").map(Number);
    indexes[dimension] = value;
  }
  const coveredBy = (dimension: number, value: number) =>
    pairsOf(indexes.with(dimension, value)).filter((covered) => missing.has(covered)).length;
  return sizes.map((size, dimension) => {
    const values = Array.from({ length: size }, (_, value) => value);
    const best = values.toSorted((left, right) => coveredBy(dimension, right) - coveredBy(dimension, left))[0];
    indexes[dimension] ??= best;
    return indexes[dimension] ?? 0;
  });
}

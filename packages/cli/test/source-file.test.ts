import type { Node } from "acorn";
import { expect, test } from "vitest";
import { nodesIn } from "../src/init/source-file.ts";

const leaf = (start: number): Node => ({ type: "Literal", start, end: start + 1 });

test("yields the nodes in the order of the text, also from within lists", () => {
  const tree = { ...leaf(0), body: [leaf(1), { ...leaf(2), left: leaf(3) }, null], more: leaf(4) };
  expect([...nodesIn(tree)].map(({ start }) => start)).toEqual([0, 1, 2, 3, 4]);
});

test("yields the nodes of an expression of any depth", () => {
  let tree = leaf(0);
  for (let depth = 1; depth < 100_000; depth++) tree = { ...leaf(depth), left: tree } as Node;
  expect([...nodesIn(tree)]).toHaveLength(100_000);
});

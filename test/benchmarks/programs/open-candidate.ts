import { type Candidate, candidates } from "../stores/candidates.ts";

/**
 * Opens the named store.
 *
 * @throws Error if there is none of the name, or this machine does not have it
 */
export async function openCandidate(name = ""): Promise<Candidate> {
  const open = Object.entries(candidates).find(([known]) => known === name)?.[1];
  if (!open) throw new Error(`There is no store ${name}.`);
  const candidate = await open();
  if ("missing" in candidate) throw new Error(candidate.missing);
  return candidate;
}

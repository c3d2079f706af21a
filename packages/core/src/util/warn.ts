/**
 * Gives a process warning, for a mistake in the setup that would otherwise show nowhere.
 *
 * @param code - the stable code of the warning.
 * @param message - what is wrong and how to mend it, without anything secret.
 */
export function warn(code: string, message: string): void {
  process.emitWarning(message, { type: "DoorcodeWarning", code });
}

/** Creates a {@link warn} that speaks once, for a mistake that each request would repeat. */
export function createWarning(code: string, message: string): () => void {
  let warned = false;
  return () => {
    if (!warned) warn(code, message);
    warned = true;
  };
}

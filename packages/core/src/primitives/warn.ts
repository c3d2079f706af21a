/**
 * Creates a process warning that is given once, for a mistake in the setup that would otherwise show nowhere.
 *
 * @param code - the stable code of the warning.
 * @param message - what is wrong and how to mend it, without anything secret.
 */
export function createWarning(code: string, message: string): () => void {
  let warned = false;
  return () => {
    if (!warned) process.emitWarning(message, { type: "DoorcodeWarning", code });
    warned = true;
  };
}

import type { Agent } from "undici";

/**
 * Creates the client's own agent when it is needed first, and returns the same one each time.
 *
 * To load its modules takes long, so they are not loaded while the app starts, but right after that. A process that ends
 * before is not kept alive.
 */
export function createAgent(connectTimeoutSeconds: number): () => Promise<Agent> {
  let agent: Promise<Agent> | undefined;
  async function load(): Promise<Agent> {
    const OwnAgent = await loadAgent();
    // One request at a time on a connection: a cut connection then affects that request only.
    return new OwnAgent({ connect: { timeout: connectTimeoutSeconds * 1000 }, allowH2: false });
  }
  const getAgent = () => (agent ??= load());
  // Modules that cannot be loaded fail the requests that need them.
  setImmediate(() => getAgent().catch(() => undefined)).unref();
  return getAgent;
}

/**
 * Loads the agent alone. The main module of undici 8 would make itself the dispatcher of the whole process, below symbols
 * that cannot be deleted: the `fetch` of the app would lose its proxy or its `MockAgent`.
 */
async function loadAgent(): Promise<typeof Agent> {
  try {
    // @ts-expect-error undici has types for its main module only.
    const file: { readonly default: typeof Agent } = await import("undici/lib/dispatcher/agent.js");
    return file.default;
  } catch {
    // Another release may have its files elsewhere. To reach the service matters more.
    return (await import("undici")).Agent;
  }
}

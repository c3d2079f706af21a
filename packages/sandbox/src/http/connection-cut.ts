/**
 * What `fetch` of a sandbox rejects with where the service, by a fault, cuts the connection instead of answering.
 *
 * Over a port the connection is cut for real; in one process this stands for it.
 */
export class ConnectionCut extends Error {
  override readonly name = "ConnectionCut";

  constructor() {
    super("The connection was cut by a fault of the sandbox.");
  }
}

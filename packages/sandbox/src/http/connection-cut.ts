/**
 * The error with which `fetch` of a sandbox rejects when a fault cuts the connection instead of answering.
 *
 * Over a port the connection is really cut. Without a port this error takes its place.
 */
export class ConnectionCut extends Error {
  override readonly name = "ConnectionCut";

  constructor() {
    super("A fault of the sandbox cut the connection.");
  }
}

import type { Socket } from "node:net";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

/** What is lost when a connection is cut at a command: the server never hears of it, or its answer never comes. */
export type Loss = "request" | "answer";

/** Both, for tests of each. */
export const losses: readonly Loss[] = ["request", "answer"];

/** A cut that is to come. */
export interface Cut {
  /** False as long as the client has not sent that many commands. */
  readonly done: boolean;
  cancel(): void;
}

/** A wire that can be cut at a command of the client's. */
export interface CommandWire extends TcpProxy {
  /**
   * Cuts the connection that carries a command, 1 for the next one over all connections; the others stand.
   *
   * When the answer is lost, the server has carried the command out before anything else is sent.
   */
  cutAt(nth: number, loss: Loss): Cut;
  /** Counts how often the server says something from now on. */
  countSaid(text: string): { readonly times: number };
}

/** How a database is spoken to, as far as a wire has to know. */
export interface Protocol {
  /** Takes what one client says, piece by piece; answers what is complete by now. */
  createReader(): (bytes: Buffer) => readonly Sent[];
  /** Follows a command whose answer is lost, so that the server says when it was carried out. */
  readonly echo: string;
  /** Tells from what the server said since. */
  isCarriedOut(said: Buffer): boolean;
}

/** Something that a client said. */
export interface Sent {
  readonly bytes: Buffer;
  /** Else it belongs to the making or the ending of the connection. */
  readonly isCommand: boolean;
}

/** Starts a wire to a port of the loopback. */
export async function startCommandWire(targetPort: number, protocol: Protocol): Promise<CommandWire> {
  const counters = new Set<{ readonly text: string; times: number }>();
  let plan: { left: number; readonly loss: Loss; done: boolean } | undefined;

  function forward(client: Socket, target: Socket): void {
    const read = protocol.createReader();
    let isCut = false;
    target.on("data", (bytes) => {
      for (const counter of counters) counter.times += bytes.toString("latin1").split(counter.text).length - 1;
    });
    client.on("data", (bytes) => {
      for (const { bytes: piece, isCommand } of read(bytes)) {
        if (isCut) return;
        isCut = isCommand && plan !== undefined && !plan.done && --plan.left === 0;
        if (!isCut || plan?.loss === "answer") target.write(piece);
        if (!isCut || !plan) continue;
        plan.done = true;
        if (plan.loss === "request") client.destroy();
        else cutWhenCarriedOut(client, target);
      }
    });
  }

  function cutWhenCarriedOut(client: Socket, target: Socket): void {
    let said = Buffer.alloc(0);
    target.removeAllListeners("data");
    target.on("data", (bytes) => {
      said = Buffer.concat([said, bytes]);
      if (protocol.isCarriedOut(said)) client.destroy();
    });
    target.resume();
    target.write(protocol.echo);
  }

  const proxy = await startTcpProxy(targetPort, "127.0.0.1", { forward });
  return {
    ...proxy,
    countSaid(text) {
      const counter = { text, times: 0 };
      counters.add(counter);
      return counter;
    },
    cutAt(nth, loss) {
      const own = { left: nth, loss, done: false };
      plan = own;
      return {
        get done() {
          return own.done;
        },
        cancel() {
          if (plan === own) plan = undefined;
        },
      };
    },
  };
}

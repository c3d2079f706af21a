import type { Socket } from "node:net";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import type { WireProtocol } from "./wire-protocols.ts";

/** The half of an exchange that is lost when a connection is cut: the server never gets the command, or its answer never arrives. */
export type Loss = "request" | "answer";

/** Both halves, for tests of each. */
export const losses: readonly Loss[] = ["request", "answer"];

/** A planned cut. */
export interface Cut {
  /** False as long as the clients have not sent that many commands. */
  readonly done: boolean;
  cancel(): void;
}

/** A proxy that can cut a connection at a command of the client. */
export interface CommandProxy extends TcpProxy {
  /**
   * Cuts the connection that carries a command: 1 is the next one over all connections. The other connections stay.
   *
   * When the answer is lost, the server has carried the command out before anything else is sent.
   */
  cutAt(nth: number, loss: Loss): Cut;
  /** Counts how often the server sends a text from now on. */
  countSent(text: string): { readonly times: number };
}

/** Starts a proxy in front of the server of a URL. */
export async function startCommandProxy(serverUrl: string, protocol: WireProtocol): Promise<CommandProxy> {
  const counters = new Set<{ readonly text: string; times: number }>();
  let plan: { left: number; readonly loss: Loss; done: boolean } | undefined;

  function cutWhenCarriedOut(client: Socket, target: Socket): void {
    let answered = Buffer.alloc(0);
    target.removeAllListeners("data");
    target.on("data", (bytes) => {
      answered = Buffer.concat([answered, bytes]);
      if (protocol.isCarriedOut(answered)) client.destroy();
    });
    target.resume();
    target.write(protocol.echo);
  }

  const proxy = await startTcpProxy(serverUrl, {
    forward({ client, target, send }) {
      const read = protocol.createReader();
      let isCut = false;
      target.on("data", (bytes) => {
        for (const counter of counters) counter.times += bytes.toString("latin1").split(counter.text).length - 1;
      });
      return (bytes) => {
        for (const { bytes: piece, isCommand } of read(bytes)) {
          if (isCut) return;
          isCut = isCommand && plan !== undefined && !plan.done && --plan.left === 0;
          if (!isCut || plan?.loss === "answer") send(piece);
          if (!isCut || !plan) continue;
          plan.done = true;
          if (plan.loss === "request") client.destroy();
          else cutWhenCarriedOut(client, target);
        }
      };
    },
  });
  return {
    ...proxy,
    countSent(text) {
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

import type { Answer } from "../support/browser.ts";
import type { CommandProxy, Loss } from "../support/command-proxy.ts";

/** An answer to a request that may have been interrupted. */
export interface Interrupted {
  readonly answer: Answer;
  /** False when the request sent fewer commands to the store. */
  readonly isCut: boolean;
}

/** A store whose connections can be cut. */
export interface Interruptible {
  readonly proxy: CommandProxy;
  /** Resolves when the store is connected, so that a command is cut, and not the start of a connection. */
  ready(): Promise<void>;
}

/** Sends a request and cuts the connection of one of its commands. */
export type Interrupt = (send: () => Promise<Answer>) => Promise<Interrupted>;

const maxCommands = 120;

/**
 * Repeats a scenario, whose request is interrupted at its first command, then at its second, and so on up to its last.
 *
 * @returns the number of commands that were cut.
 */
export async function interruptEach(
  { proxy, ready }: Interruptible,
  loss: Loss,
  scenario: (interrupt: Interrupt) => Promise<void>,
): Promise<number> {
  for (let nth = 1; nth <= maxCommands; nth++) {
    let isCut = false;
    const interrupt: Interrupt = async (send) => {
      await ready();
      const cut = proxy.cutAt(nth, loss);
      const answer = await send();
      cut.cancel();
      isCut = cut.done;
      return { answer, isCut };
    };
    await scenario(interrupt).catch((error: unknown) => {
      throw new Error(`When command ${nth} lost its ${loss}: ${error}`, { cause: error });
    });
    if (!isCut) return nth - 1;
  }
  throw new Error("The request has no end.");
}

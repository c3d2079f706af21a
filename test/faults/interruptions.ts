import type { Answer } from "../support/browser.ts";
import type { CommandWire, Loss } from "./command-wire.ts";

/** An answer to a request that may have been interrupted. */
export interface Interrupted {
  readonly answer: Answer;
  /** False when the request asked less of the store than the command that was to be cut. */
  readonly isCut: boolean;
}

/** What is interrupted. */
export interface Interruptible {
  readonly wire: CommandWire;
  /** Resolves when the connection stands: what is cut shall be a command, not the making of a connection. */
  ready(): Promise<void>;
}

/** Asks with the connection of one command cut. */
export type Interrupt = (ask: () => Promise<Answer>) => Promise<Interrupted>;

const maxCommands = 50;

/**
 * Repeats an act, whose request is interrupted at the first of its commands, then at the second, and so on until it has
 * no more.
 *
 * @returns how many commands were cut.
 */
export async function interruptEach(
  { wire, ready }: Interruptible,
  loss: Loss,
  act: (interrupt: Interrupt) => Promise<void>,
): Promise<number> {
  for (let nth = 1; nth <= maxCommands; nth++) {
    let isCut = false;
    const interrupt: Interrupt = async (ask) => {
      await ready();
      const cut = wire.cutAt(nth, loss);
      const answer = await ask();
      cut.cancel();
      isCut = cut.done;
      return { answer, isCut };
    };
    await act(interrupt).catch((error: unknown) => {
      throw new Error(`When command ${nth} lost its ${loss}: ${error}`, { cause: error });
    });
    if (!isCut) return nth - 1;
  }
  throw new Error("The request has no end.");
}

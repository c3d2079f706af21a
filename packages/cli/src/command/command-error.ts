/** A mistake in the command line, in the folder, or in the kit that the command works with. Its message says what to do. */
export class CommandError extends Error {
  /** The exit code of the command. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

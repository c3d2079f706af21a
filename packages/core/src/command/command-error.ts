/** A mistake in the command line or in the module of the kit. Its message says what to do. */
export class CommandError extends Error {}

/** A mistake in the command line, or in the folder in which the command runs. Its message says what to do. */
export class CommandError extends Error {}

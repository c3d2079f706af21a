import { SandboxError } from "../primitives/sandbox-error.ts";

/** Primary result codes of SQLite. The low byte of an extended result code is its primary code. */
const busy = 5;
const corrupt = 11;
const notADatabase = 26;

/** Creates the error of a data file from the error of SQLite or of the file system that caused it. */
export function dataFileError(path: string, cause: unknown): SandboxError {
  const code = resultCodeOf(cause);
  if (code === busy) {
    const message = `The data file ${path} is in use. Stop the program that has it open, or choose another file.`;
    return new SandboxError("data_file_taken", message, { cause });
  }
  if (code === notADatabase || code === corrupt) return foreignFileError(path, cause);
  const message = `The data file ${path} cannot be used. Its folder must exist, be writable and have free space.`;
  return new SandboxError("data_file_unusable", message, { cause });
}

/** Creates the error of a file that the sandbox did not write, or that was damaged later. */
export function foreignFileError(path: string, cause?: unknown): SandboxError {
  const message = `${path} is not a data file of the sandbox, or it is damaged. Choose another file, or remove this one.`;
  return new SandboxError("data_file_unusable", message, { cause });
}

/** Creates the error of a data file with another format of the records. */
export function foreignVersionError(path: string): SandboxError {
  const message = `The data file ${path} was written by another version of the sandbox. Use that version, or remove the file.`;
  return new SandboxError("data_file_unusable", message);
}

function resultCodeOf(cause: unknown): number | undefined {
  if (!(cause instanceof Error && "errcode" in cause)) return undefined;
  return typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined;
}

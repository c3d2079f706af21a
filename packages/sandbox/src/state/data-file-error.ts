import { SandboxError } from "../sandbox-error.ts";

/** What SQLite's primary result codes mean for a data file; the extended ones keep them in their low byte. */
const busy = 5;
const corrupt = 11;
const notADatabase = 26;

/** Says in one sentence what is wrong with a data file and what to do; what is no error of SQLite counts as "cannot be used". */
export function dataFileError(path: string, cause: unknown): SandboxError {
  const code = resultCodeOf(cause);
  if (code === busy) {
    const sentence = `The data file ${path} is in use: stop the other program that has it open, or choose another file.`;
    return new SandboxError("data_file_taken", sentence, { cause });
  }
  if (code === notADatabase || code === corrupt) return foreignFile(path, cause);
  const sentence = `The data file ${path} cannot be used: its folder must exist and be writable, with space left.`;
  return new SandboxError("data_file_unusable", sentence, { cause });
}

/** The refusal of a file that the sandbox did not write, or that was damaged since. */
export function foreignFile(path: string, cause?: unknown): SandboxError {
  const sentence = `${path} is no data file of the sandbox, or is damaged: choose another file, or remove this one.`;
  return new SandboxError("data_file_unusable", sentence, { cause });
}

/** The refusal of a file in which records have another form. */
export function foreignVersion(path: string): SandboxError {
  const sentence = `The data file ${path} is of another version of the sandbox: use that version, or remove the file.`;
  return new SandboxError("data_file_unusable", sentence);
}

function resultCodeOf(cause: unknown): number | undefined {
  if (!(cause instanceof Error && "errcode" in cause)) return undefined;
  return typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined;
}

/** The parts of the protocol of a database that a proxy has to know. */
export interface WireProtocol {
  /** Creates a reader for the bytes of one client. It takes them piece by piece, and answers the messages that are complete. */
  createReader(): (bytes: Buffer) => readonly ClientMessage[];
  /** Follows a command whose answer is lost, so that the server says when it was carried out. */
  readonly echo: string;
  /** Tells from what the server sent since whether the command was carried out. */
  isCarriedOut(answered: Buffer): boolean;
}

/** Something that a client sent. */
export interface ClientMessage {
  readonly bytes: Buffer;
  /** False for what belongs to the start or the end of a connection. */
  readonly isCommand: boolean;
}

const echoed = "sent-by-the-proxy";

/** The protocol of Redis: a command is an array of texts, each behind its length. */
export const redisProtocol: WireProtocol = {
  createReader: () => createReader((bytes) => ({ length: redisLength(bytes), isCommand: true })),
  echo: `*2\r\n$4\r\nECHO\r\n$${echoed.length}\r\n${echoed}\r\n`,
  // Answers come in the order of the questions.
  isCarriedOut: (answered) => answered.includes(echoed),
};

/** The protocol of PostgreSQL: messages of a letter and a length. A command ends with a Sync, or is a simple Query. */
export const postgresProtocol: WireProtocol = {
  createReader() {
    let isFirst = true;
    return createReader((bytes) => {
      // The very first message has no letter.
      if (!isFirst) return postgresCommand(bytes);
      const length = bytes.length < 4 ? 0 : bytes.readUInt32BE(0);
      isFirst = length === 0 || bytes.length < length;
      return { length, isCommand: false };
    });
  },
  echo: "",
  // With "Z" the server says that it is ready again.
  isCarriedOut: (answered) => String.fromCharCode(answered.at(-6) ?? 0) === "Z",
};

interface Measured {
  /** 0 while something is missing. */
  readonly length: number;
  readonly isCommand: boolean;
}

function createReader(measure: (bytes: Buffer) => Measured): (bytes: Buffer) => readonly ClientMessage[] {
  let pending = Buffer.alloc(0);
  return (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    const sent: ClientMessage[] = [];
    while (pending.length > 0) {
      const { length, isCommand } = measure(pending);
      if (length === 0 || length > pending.length) break;
      sent.push({ bytes: pending.subarray(0, length), isCommand });
      pending = pending.subarray(length);
    }
    return sent;
  };
}

/** The length of the first command. */
function redisLength(bytes: Buffer): number {
  let at = bytes.indexOf("\r\n") + 2;
  if (at < 2) return 0;
  const texts = Number(bytes.toString("latin1", 1, at - 2));
  for (let text = 0; text < texts; text++) {
    const end = bytes.indexOf("\r\n", at);
    if (end < 0) return 0;
    at = end + 2 + Number(bytes.toString("latin1", at + 1, end)) + 2;
  }
  return at;
}

function postgresCommand(bytes: Buffer): Measured {
  let at = 0;
  while (bytes.length >= at + 5) {
    const letter = String.fromCharCode(bytes[at] ?? 0);
    at += 1 + bytes.readUInt32BE(at + 1);
    if (at > bytes.length) break;
    // Sync and Query ask; a password and Terminate stand alone.
    if ("SQpX".includes(letter)) return { length: at, isCommand: "SQ".includes(letter) };
  }
  return { length: 0, isCommand: false };
}

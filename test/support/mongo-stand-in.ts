import { createServer, type Socket } from "node:net";
import mongoose from "mongoose";
import { createBarrier } from "./barrier.ts";
import { listen } from "./listen.ts";

/*
 * A stand-in for MongoDB, which no package ships: it speaks MongoDB's protocol to the real driver and knows the few commands of a program
 * that finds or creates one document. It decides nothing about a race by itself: an upsert reads first and inserts later, and only an index
 * that the program has created refuses the second document.
 */

type Document = Record<string, unknown>;

/** A stand-in that listens. */
export interface MongoStandIn {
  readonly url: string;
  readonly documents: readonly Document[];
  close(): Promise<void>;
}

const { BSON } = mongoose.mongo;
const duplicateKey = 11000;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

/** @param racers - the number of upserts that all read before any of them inserts. */
export async function startMongoStandIn(racers: number): Promise<MongoStandIn> {
  const documents: Document[] = [];
  const uniqueFields = new Set<string>();
  const raced = createBarrier();
  void raced.arrived(racers).then(raced.open);
  const find = (filter: Document) =>
    documents.find((document) => Object.entries(filter).every(([field, value]) => document[field] === value));

  async function upsert(filter: Document, update: Document): Promise<Document> {
    const found = find(filter);
    if (found) return { value: found };
    await raced.pass();
    const taken = [...uniqueFields].some((field) => documents.some((document) => document[field] === filter[field]));
    if (taken) return { ok: 0, code: duplicateKey, errmsg: "E11000 duplicate key error" };
    const created = { _id: new BSON.ObjectId(), ...filter, ...(update.$setOnInsert as Document) };
    documents.push(created);
    return { value: created };
  }

  async function answer(command: Document): Promise<Document> {
    const [verb] = Object.keys(command);
    if (verb === "hello" || verb === "ismaster")
      return { isWritablePrimary: true, maxWireVersion: 25, minWireVersion: 0 };
    if (verb === "createIndexes") {
      const indexes = command.indexes as { readonly key: Document; readonly unique?: boolean }[];
      for (const { key, unique } of indexes) if (unique) for (const field of Object.keys(key)) uniqueFields.add(field);
    }
    if (verb === "findAndModify") return upsert(command.query as Document, command.update as Document);
    if (verb === "find") {
      const firstBatch = [find(command.filter as Document)].filter((document) => document !== undefined);
      return { cursor: { id: BSON.Long.ZERO, ns: "test.users", firstBatch } };
    }
    return {};
  }

  const server = createServer((socket) => readMessages(socket, answer));
  const { url, close } = await listen(server);
  return { url: url.replace("http:", "mongodb:"), documents, close };
}

function readMessages(socket: Socket, answer: (command: Document) => Promise<Document>): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const message = received.subarray(0, received.readInt32LE(0));
      received = received.subarray(message.length);
      void answer(commandOf(message)).then((reply) => socket.write(replyTo(message, { ok: 1, ...reply })));
    }
  });
}

/** Reads the command of a message: of the first one, which asks who the server is, or of any later one. */
function commandOf(message: Buffer): Document {
  const header = 16;
  if (message.readInt32LE(12) === opMsg) return BSON.deserialize(message.subarray(header + 4 + 1));
  const nameEnd = message.indexOf(0, header + 4);
  return BSON.deserialize(message.subarray(nameEnd + 1 + 8));
}

function replyTo(message: Buffer, reply: Document): Buffer {
  const body = BSON.serialize(reply);
  const isQuery = message.readInt32LE(12) === opQuery;
  // Flags, cursor, first document and number of documents; or flags and the kind of the only section.
  const prefix = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) prefix.writeInt32LE(1, 16);
  const header = Buffer.alloc(16);
  header.writeInt32LE(header.length + prefix.length + body.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? opReply : opMsg, 12);
  return Buffer.concat([header, prefix, body]);
}

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells whether a JSON value is an object, and not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const knownKinds = ["message.status.update", "verification.update"] as const;

/** A kind of the specification. Version 1.0 has no others. */
type KnownKind = (typeof knownKinds)[number];

/** The kind of an event. */
interface EventKind {
  /** The kind of the specification, or `unknown`. */
  readonly kind: KnownKind | "unknown";
  /** The name in the envelope. */
  readonly name: string | undefined;
}

/**
 * Decides the kind of a payload: by its instant, then by a name in its envelope, then by its identifiers.
 *
 * The instant comes first because the specification defines which instant belongs to which kind, and does not show the
 * envelope. A name of any other kind, such as one announced for later, makes the event unknown, whatever its data is.
 *
 * @see "Payloads" of the specification
 */
export function decideKind(payload: JsonObject, data: JsonObject): EventKind {
  const names = [payload.event, payload.event_type, payload.type].filter((name) => typeof name === "string");
  const known = knownKinds.find((kind) => names.includes(kind));
  // The name of a kind has a dot. A single word ("event", "webhook") may mean anything.
  const otherKind = known ? undefined : names.find((name) => name.includes("."));
  if (otherKind !== undefined) return { kind: "unknown", name: otherKind };
  return { kind: kindByInstant(data) ?? known ?? kindByIdentifier(data) ?? "unknown", name: known ?? names[0] };
}

function kindByInstant(data: JsonObject): KnownKind | undefined {
  const ofMessage = data.status_updated_at != null;
  const ofVerification = data.updated_at != null;
  if (ofMessage === ofVerification) return undefined;
  return ofMessage ? "message.status.update" : "verification.update";
}

/** A message with a one-time passcode has both identifiers. Its status is reported as a change of its verification. */
function kindByIdentifier(data: JsonObject): KnownKind | undefined {
  if (data.verification_id != null) return "verification.update";
  return data.message_id != null ? "message.status.update" : undefined;
}

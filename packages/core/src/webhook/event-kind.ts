/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

const knownKinds = ["message.status.update", "verification.update"] as const;

/** The kinds of the specification; there are no others in version 1.0. */
type KnownKind = (typeof knownKinds)[number];

/** Which kind of event a payload is, and what its envelope calls it. */
interface EventKind {
  readonly kind: KnownKind | "unknown";
  readonly name: string | undefined;
}

/**
 * Decides what kind of event a payload is.
 *
 * The specification does not show the envelope, but says which instant belongs to which kind, so that decides; then a
 * name in the envelope; then the identifiers. A name of another kind, such as one announced for later, is unknown
 * whatever its data looks like.
 *
 * @see "Payloads" of the specification
 */
export function decideKind(payload: JsonObject, data: JsonObject): EventKind {
  const names = [payload.event, payload.event_type, payload.type].filter((name) => typeof name === "string");
  const known = knownKinds.find((kind) => names.includes(kind));
  // Kinds are dotted; a word alone ("event", "webhook") may be anything.
  const foreign = known ? undefined : names.find((name) => name.includes("."));
  if (foreign !== undefined) return { kind: "unknown", name: foreign };
  return { kind: kindByInstant(data) ?? known ?? kindByIdentifier(data) ?? "unknown", name: known ?? names[0] };
}

function kindByInstant(data: JsonObject): KnownKind | undefined {
  const ofMessage = data.status_updated_at != null;
  const ofVerification = data.updated_at != null;
  if (ofMessage === ofVerification) return undefined;
  return ofMessage ? "message.status.update" : "verification.update";
}

/** A one-time passcode's message has both identifiers and is reported as a change of its verification. */
function kindByIdentifier(data: JsonObject): KnownKind | undefined {
  if (data.verification_id != null) return "verification.update";
  return data.message_id != null ? "message.status.update" : undefined;
}

/** Deliveries that are held back until the next event of the same message or verification was sent. */
export interface HeldDeliveries {
  /** Holds a delivery back. */
  hold(subjectId: string, deliveryId: string): void;
  /** Returns and removes the deliveries that were held back for this message or verification. */
  take(subjectId: string): readonly string[];
}

/** Creates an empty list of held deliveries. Each also has a scheduled attempt, in case that no further event comes. */
export function createHeldDeliveries(): HeldDeliveries {
  const held = new Map<string, string[]>();
  return {
    hold(subjectId, deliveryId) {
      held.set(subjectId, [...(held.get(subjectId) ?? []), deliveryId]);
    },
    take(subjectId) {
      const deliveryIds = held.get(subjectId) ?? [];
      held.delete(subjectId);
      return deliveryIds;
    },
  };
}

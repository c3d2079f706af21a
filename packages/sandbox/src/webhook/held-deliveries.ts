/** Deliveries that are to arrive after the next event of the same message or verification. */
export interface HeldDeliveries {
  hold(subjectId: string, deliveryId: string): void;
  /** Hands out what was held for this subject, once. */
  take(subjectId: string): readonly string[];
}

/** Creates the place where deliveries are held. What nobody takes comes at the end of its own time. */
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

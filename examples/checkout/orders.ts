/** An order of a guest. */
export interface Order {
  /** The number in E.164. */
  readonly phone: string;
  /** The login that has proven the number. */
  readonly loginId: string;
}

/** The app's orders, in memory. A real app has a table with a unique index on the login's id. */
export interface Orders {
  /** Adds an order. Returns false if there is one of this login already. */
  add(order: Order): boolean;
}

/** Creates an empty set of orders. */
export function createOrders(): Orders {
  const byLogin = new Map<string, Order>();
  return {
    add(order) {
      const isNew = !byLogin.has(order.loginId);
      if (isNew) byLogin.set(order.loginId, order);
      return isNew;
    },
  };
}

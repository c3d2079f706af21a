/** The return value of a callback that may be asynchronous. */
export type Awaitable<Value> = Promise<Value> | Value;

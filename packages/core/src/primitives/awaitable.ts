/** What a callback may answer at once or later. */
export type Awaitable<Value> = Promise<Value> | Value;

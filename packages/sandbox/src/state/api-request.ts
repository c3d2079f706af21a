/** A request that reached the API of the service, with its answer. It holds no API key and no header. */
export interface ApiRequest {
  readonly id: string;
  /** The application of its API key; the default one without a valid key, and when that application was removed before the answer. */
  readonly applicationId: string;
  /** ISO instant on the application's clock at which it was answered. */
  readonly at: string;
  readonly method: string;
  /** The path below the origin, without the query. */
  readonly path: string;
  /** The last four characters of its API key, after dots; undefined when it had none. */
  readonly maskedKey: string | undefined;
  /** True when its API key is the key of an application. */
  readonly isKeyValid: boolean;
  /** HTTP status of the answer; undefined when a fault cut the connection. */
  readonly status: number | undefined;
  /** The reason of the refusal, in words; undefined for a request that was accepted. */
  readonly cause: string | undefined;
  /** The first 10,000 characters of its body; empty when the request was refused before the body was read. */
  readonly body: string;
  /** The first 10,000 characters of the answer. */
  readonly answer: string;
  /** Time until the answer, on the wall clock. */
  readonly tookMilliseconds: number;
}

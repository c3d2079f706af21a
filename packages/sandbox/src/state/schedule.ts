/** Work for a later instant. It is data and not a function, so that it survives the process. */
export type Task =
  | { readonly kind: "message.sent"; readonly messageId: string }
  | { readonly kind: "message.outcome"; readonly messageId: string }
  | { readonly kind: "channel.timeout"; readonly verificationId: string; readonly messageId: string }
  | { readonly kind: "verification.expiry"; readonly verificationId: string }
  | { readonly kind: "delivery.attempt"; readonly deliveryId: string };

/** A task and its instant. */
export interface ScheduledTask {
  /** Scheduling another task with this id replaces this one. */
  readonly id: string;
  readonly applicationId: string;
  /** Unix milliseconds on the application's clock. */
  readonly dueMilliseconds: number;
  readonly task: Task;
}

/** The rate of an application's clock, and a point that fixes its position. */
export interface ClockRate {
  readonly id: string;
  /** A multiple of real time: 1 is real time, 0 is a stopped clock. */
  readonly rate: number;
  /** Unix milliseconds on the application's clock at the moment of {@link machineMilliseconds}. */
  readonly atMilliseconds: number;
  /** Unix milliseconds on the machine's clock. */
  readonly machineMilliseconds: number;
}

/** What is to happen at its time. Data, not functions, so that it survives the process. */
export type Task =
  | { readonly kind: "message.sent"; readonly messageId: string }
  | { readonly kind: "message.outcome"; readonly messageId: string }
  | { readonly kind: "channel.timeout"; readonly verificationId: string; readonly messageId: string }
  | { readonly kind: "verification.expiry"; readonly verificationId: string }
  | { readonly kind: "delivery.attempt"; readonly deliveryId: string };

/** A task and its time on the clock of its application. */
export interface Plan {
  readonly id: string;
  readonly applicationId: string;
  readonly dueMilliseconds: number;
  readonly task: Task;
}

/** How the clock of an application runs. */
export interface Pace {
  /** The application. */
  readonly id: string;
  /** 1 is real time, 0 stands still. */
  readonly rate: number;
  /** An instant of the application, and the one of the machine at which it was set. Unix milliseconds. */
  readonly atMilliseconds: number;
  readonly machineMilliseconds: number;
}

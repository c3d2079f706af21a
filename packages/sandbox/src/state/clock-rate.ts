/** The rate of an application's clock, and a point that fixes its position. */
export interface ClockRate {
  /** The id of the application. */
  readonly id: string;
  /** A multiple of real time: 1 is real time, 0 is a stopped clock. */
  readonly rate: number;
  /** Unix milliseconds on the application's clock at the moment of {@link machineMilliseconds}. */
  readonly atMilliseconds: number;
  /** Unix milliseconds on the machine's clock. */
  readonly machineMilliseconds: number;
}

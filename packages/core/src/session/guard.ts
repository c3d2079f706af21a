export interface Login {
  readonly userId: string;
}

import { createDoorcode } from "@doorcode/core";

export interface User {
  readonly id: string;
  readonly name: string;
}

export const doorcode = createDoorcode({
  session: { password: "not looked at: this file is only compiled", loadUser: (id): User => ({ id, name: "Ada" }) },
});

declare module "@doorcode/core" {
  interface Register {
    doorcode: typeof doorcode;
  }
}

/** Compiles only when both types are the same, so that `any` or a wider type is an error. */
export type Same<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : never;

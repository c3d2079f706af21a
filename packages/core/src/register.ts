import type { Doorcode } from "./doorcode.ts";

/**
 * Registers the type of your users, so that `req.doorcode.user` has it.
 *
 * @example
 * import { createDoorcode } from "@doorcode/core";
 * export const doorcode = createDoorcode({
 *   session: { password: process.env.SESSION_PASSWORD, loadUser: (id) => ({ id, name: "Ada" }) },
 * });
 * declare module "@doorcode/core" {
 *   interface Register {
 *     doorcode: typeof doorcode;
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: apps add their member
export interface Register {}

/** The type of the app's users; `unknown` until the app extends {@link Register}. */
export type RegisteredUser = Register extends { readonly doorcode: Doorcode<infer User> } ? User : unknown;

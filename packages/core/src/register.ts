import type { Doorcode } from "./doorcode.ts";

/**
 * Tells the adapters what your users are, so that `req.doorcode.user` has their type.
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
// biome-ignore lint/suspicious/noEmptyInterface: apps add their member to it
export interface Register {}

/** The app's user, once it told {@link Register}; `unknown` before. */
export type RegisteredUser = Register extends { readonly doorcode: Doorcode<infer User> } ? User : unknown;

import type { HttpRequest } from "./exchange.ts";

/** What a sender of an encoded body has to change. */
export const encodingFix = "Send the body without a content encoding.";

/** Detects a content encoding: the kit decompresses nothing. */
export function isEncoded({ headers }: HttpRequest): boolean {
  const encoding = headers["content-encoding"] || "identity";
  return typeof encoding !== "string" || encoding.toLowerCase() !== "identity";
}

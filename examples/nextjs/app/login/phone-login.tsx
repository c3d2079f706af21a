"use client";
import "@doorcode/browser/define";

/** The login as the server rendered it. The element takes it over, so React leaves its content alone. */
export function PhoneLogin({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: renderPhoneLogin escapes every text.
  return <div dangerouslySetInnerHTML={{ __html: html }} suppressHydrationWarning />;
}

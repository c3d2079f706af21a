import { z } from "zod";
import type { VerificationRequest } from "../service/verifications.ts";
import { strictOptions } from "../util/parse-options.ts";

/** A template of the service: its name, or its name and variables. */
export type Template = string | TemplateWithVariables;

/** A template of the service that has variables. */
export interface TemplateWithVariables {
  /** The name of the template. */
  readonly name: string;
  /** The values of its variables, by their names. */
  readonly variables?: Readonly<Record<string, string>>;
}

const templateName = z.string("expected the name of a template").min(1, "expected the name of a template");
const expectedVariables = "expected a text for each variable of the template";

/**
 * The shape of the option `template`.
 *
 * @internal
 */
export const templateShape: z.ZodType<Template> = z.union(
  [
    z.string().min(1),
    strictOptions({
      name: templateName,
      variables: z.record(z.string(), z.string(expectedVariables), expectedVariables).exactOptional(),
    }),
  ],
  "expected the name of a template, or { name, variables }",
);

const expectedChannels = 'expected names of channels in capitals, such as "SMS"';

/**
 * The shape of the option `channels`; SMS by default.
 *
 * @internal
 */
export const channelsShape: z.ZodDefault<z.ZodArray<z.ZodString>> = z
  .array(
    z.string(expectedChannels).regex(/^[A-Z][A-Z0-9_]*$/, expectedChannels),
    'expected a list such as ["SMS", "WHATSAPP"]',
  )
  .min(1, "expected at least one channel")
  .default(["SMS"]);

/**
 * Describes a verification as the service expects it: the channel with priority 1 is tried first.
 *
 * @see "Verification request" of the specification
 */
export function verificationTo(
  phone: string,
  template: Template | undefined,
  channels: readonly string[],
): VerificationRequest {
  const { name, variables = {} } = typeof template === "object" ? template : { name: template };
  return {
    recipient: phone,
    ...(name !== undefined && { template: { name, variables } }),
    channels: channels.map((channel_name, index) => ({ channel_name, priority: index + 1 })),
  };
}

import { z } from "zod";

/** How long a wait over HTTP may take, in seconds on the wall clock. */
export const waitQuery: z.ZodType<number> = z.coerce.number().min(0).max(300).default(30);

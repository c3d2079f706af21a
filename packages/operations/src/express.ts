import type { Doorcode } from "@doorcode/core/adapter";
import { serve } from "@doorcode/express";
import type { Request, RequestHandler } from "express";
import { createOperations } from "./create-operations.tsx";
import type { OperationsOptions } from "./options.ts";

/**
 * Creates the operators' page: `app.use("/operations", requireStaff, operations(doorcode, { operator: (req) => req.user.email }))`.
 *
 * @throws TypeError for a wrong option
 */
export function operations(doorcode: Doorcode, options: OperationsOptions<Request> = {}): RequestHandler {
  const { operator, ...rest } = options;
  return serve(createOperations(doorcode, { ...rest, ...(operator && { operator: ({ req }) => operator(req) }) }));
}

import type { Doorcode } from "@doorcode/core/adapter";
import { serve } from "@doorcode/fastify";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { createOperations } from "./create-operations.tsx";
import type { OperationsOptions } from "./options.ts";

/**
 * Creates the operators' page: `await app.register(operations(doorcode, { operator }), { prefix: "/operations" })`, in a scope whose hook
 * is your guard.
 *
 * @throws TypeError for a wrong option
 */
export function operations(doorcode: Doorcode, options: OperationsOptions<FastifyRequest> = {}): FastifyPluginAsync {
  const { operator, ...rest } = options;
  return serve(
    createOperations(doorcode, { ...rest, ...(operator && { operator: ({ request }) => operator(request) }) }),
  );
}

import type { Doorcode } from "@doorcode/core/adapter";
import { checkBasePath, type FetchRequestContext, type ServeFetch, serve } from "@doorcode/fetch";
import { createOperations } from "./create-operations.tsx";
import type { OperationsOptions } from "./options.ts";

/** Options of {@link operations} on a host with `Request` and `Response`. */
export interface FetchOperationsOptions extends OperationsOptions<Request> {
  /** The path of the page, such as `/operations`. */
  readonly basePath: string;
}

/**
 * Creates the operators' page for hosts with `Request` and `Response`. It returns `undefined` for a request to any other path.
 *
 * @throws TypeError for a wrong option
 * @example
 * import type { Doorcode } from "@doorcode/core";
 * import { operations } from "@doorcode/operations/fetch";
 * export function createPage(doorcode: Doorcode, staffOf: (request: Request) => Promise<string | undefined>) {
 *   return operations(doorcode, { basePath: "/operations", operator: staffOf });
 * }
 */
export function operations(doorcode: Doorcode, { basePath, operator, ...rest }: FetchOperationsOptions): ServeFetch {
  const path = checkBasePath("operations", basePath);
  const mount = createOperations<FetchRequestContext>(doorcode, {
    ...rest,
    ...(operator && { operator: ({ request }) => operator(request) }),
  });
  return serve(mount, path);
}

import type { Service } from "../service/service.ts";
import type { ApiRequest } from "../state/api-request.ts";
import { watchRecords } from "./wait-for-record.ts";

/** The requests that reached the API of the service. */
export interface ApiRequests {
  /**
   * Lists the last 500 requests with the API key of the application, the oldest first. Requests without a valid key are listed by the
   * default application. They are in memory only, even with a data file.
   */
  list(): readonly ApiRequest[];
  /** Calls the watcher with each request after it was answered. The returned function ends it. */
  watch(watcher: (request: ApiRequest) => void): () => void;
}

/** Opens the requests of an application for the program that runs the sandbox. */
export function createApiRequests({ state: { apiRequests } }: Service, applicationId: string): ApiRequests {
  return {
    list: () => apiRequests.list(applicationId),
    watch: (watcher) => watchRecords(apiRequests, applicationId, ["added"], watcher),
  };
}

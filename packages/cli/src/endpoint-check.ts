export { checkEndpoint, type EndpointCheckOptions } from "./endpoint-check/check-endpoint.ts";
export type { Finding, FindingCode } from "./endpoint-check/finding.ts";

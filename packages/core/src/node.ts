export { createNodeRequest, type NodeExchange, type NodeHost } from "./node/request.ts";
export { sendNodeResponse } from "./node/response.ts";
export { type ForwardedRequest, trustsEverybody } from "./node/trusts-everybody.ts";

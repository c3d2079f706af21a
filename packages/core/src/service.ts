export { createServiceClient, type ServiceClient, type ServiceOptions } from "./service/client.ts";
export type { CallOptions, MessageRecord, MessageResponse, Messages } from "./service/messages.ts";
export type { Confirmation, Verification, Verifications } from "./service/verifications.ts";
export type { ConfirmationRequest, MessageRequest, VerificationRequest } from "./service/wire.ts";

import "./util/node-version.ts";

export { createServiceClient, type ServiceClient, type ServiceOptions } from "./service/client.ts";
export type { CallOptions, MessageRecord, MessageRequest, MessageResponse, Messages } from "./service/messages.ts";
export type {
  Confirmation,
  ConfirmationRequest,
  Verification,
  VerificationRequest,
  Verifications,
} from "./service/verifications.ts";

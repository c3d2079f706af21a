import { both, cannotBeShown, customer, service } from "./rule.ts";

/** The nine parts of the service's specification and all of their rules, in its order. Texts are ours. */
export const parts = [
  {
    title: "What the service does",
    file: "test/specification/1-products.test.ts",
    rules: [
      both("service.http-api", "It is an HTTP API below a base URL.", { kit: ["endpoints.row-1"] }),
      both("service.json-bodies", "All request and response bodies are JSON.", { kit: ["endpoints.content-type"] }),
      both("service.products.row-1", "Messaging: SMS to one or many recipients, with delivery tracking.", {
        sandbox: ["resources.message-response.row-3", "resources.message-response.row-4"],
        kit: ["resources.message-request.row-1"],
      }),
      both("service.products.row-2", "Verify: sends and validates codes, falling back from channel to channel.", {
        sandbox: ["events.registration.3"],
        kit: ["endpoints.row-3", "endpoints.row-4"],
      }),
      cannotBeShown("service.products.row-3", "2-way Messages.", "Announced only: no interface is described."),
      cannotBeShown(
        "service.products.row-4",
        "Numbers (DID).",
        "Announced only: no interface for renting is described.",
      ),
      cannotBeShown("service.products.row-5", "Click to Call.", "Announced only: no interface is described."),
      cannotBeShown("service.products.row-6", "SIP Trunks.", "Announced only: no interface is described."),
      both("service.rules.1", "Messaging supports SMS only.", {
        sandbox: ["resources.message-request.row-3"],
        kit: ["resources.message-request.row-3"],
      }),
      both("service.rules.2", "Verify supports SMS, WhatsApp, Viber, Telegram and Voice.", {
        kit: ["endpoints.rules.5"],
      }),
      service("service.rules.3", "The answer says accepted; the outcome comes later as webhook events.", [
        "states.messages.row-1",
        "states.messages.typical",
      ]),
      service("service.rules.4", "The operator provisions the account; there is no sign-up."),
      cannotBeShown("service.rules.5", "A SIP trunk has its own credentials.", "SIP trunks are announced only."),
      service("service.rules.6", "A rented number sends SMS while its calls route to a SIP trunk.", [
        "resources.sender-rules.2",
      ]),
    ],
  },
  {
    title: "Resources and their fields",
    file: "test/specification/2-resources.test.ts",
    rules: [
      service("resources.platform.row-1", "Account: one; balance, pricing, invoices, sender IDs, rented numbers."),
      service("resources.platform.row-2", "Application: many; own key, endpoints, users, configuration, reporting."),
      service(
        "resources.platform.row-3",
        "Number: assigned to exactly one application, with capabilities and routing.",
      ),
      cannotBeShown(
        "resources.platform.row-3-inbound",
        "Inbound traffic of a number goes to its application's webhook.",
        "Receiving is announced only: no inbound event is described.",
      ),
      service("resources.platform.row-4", "API key: exactly one per application, which it identifies.", [
        "resources.platform.2",
        "resources.platform.3",
      ]),
      service("resources.platform.1", "A default application exists from the start.", ["endpoints.row-3"]),
      service("resources.platform.2", "The key decides whose settings apply and where usage is reported."),
      service("resources.platform.3", "Rotating or revoking one key leaves other applications alone."),
      service("resources.platform.4", "More applications separate traffic.", ["resources.platform.2"]),
      cannotBeShown(
        "resources.platform.5",
        "Field-level schemas of account, application and number.",
        "The specification does not show them; the sandbox's own are its public types.",
      ),
      both("resources.message-request.row-1", "recipients: required array of international numbers with a plus sign."),
      both("resources.message-request.row-2", "channels: required array of objects."),
      both("resources.message-request.row-3", "channels[].channel: required, SMS."),
      both(
        "resources.message-request.row-4",
        "channels[].sender: required, a registered sender ID or a rented number.",
      ),
      both("resources.message-request.row-5", "channels[].content: required, holds text."),
      both("resources.message-request.row-6", "callback_url: optional HTTPS URL for this request."),
      both("resources.message-response.row-1", "request_id: one per API call.", {
        sandbox: ["endpoints.rules.2"],
        kit: ["endpoints.row-1"],
      }),
      both("resources.message-response.row-2", "status: SUCCESS.", {
        sandbox: ["resources.message-response.row-3"],
        kit: ["endpoints.row-1"],
      }),
      both("resources.message-response.row-3", "messages: one entry per recipient and channel entry.", {
        kit: ["endpoints.row-1"],
      }),
      both("resources.message-response.row-4", "messages[].message_id: one each, and the one in events.", {
        kit: ["endpoints.row-1"],
      }),
      both("resources.message-response.row-5", "messages[].recipient: the phone number.", {
        sandbox: ["resources.message-response.row-3"],
        kit: ["endpoints.row-1"],
      }),
      both("resources.message-response.row-6", "messages[].status: QUEUED on creation.", {
        sandbox: ["resources.message-response.row-3"],
        kit: ["endpoints.row-1"],
      }),
      service("resources.sender-rules.1", "An alphanumeric sender ID must be registered first."),
      cannotBeShown(
        "resources.sender-rules.1-one-way",
        "Recipients cannot reply to a sender ID.",
        "Nothing inbound is described, so there is no reply to be refused.",
      ),
      service("resources.sender-rules.1-countries", "Some countries prohibit alphanumeric sender IDs."),
      service(
        "resources.sender-rules.2",
        "A rented number is a sender without registration, and one that takes replies.",
      ),
      both("resources.sender-rules.3", "An unregistered sender makes the first message fail.", {
        kit: ["errors.row-6"],
      }),
      both("resources.verification-request.row-1", "recipient: required international number."),
      both("resources.verification-request.row-2", "template: name and variables that are substituted into it."),
      both("resources.verification-request.row-3", "channels: required, each with channel_name and integer priority."),
      both("resources.verification-request.row-4", "custom_otp: optional code, delivered exactly as given."),
      both("resources.verification-request.row-5", "callback_url: optional HTTPS URL for this request."),
      both("resources.verification-response.row-1", "request_id: identifies the call.", {
        sandbox: ["endpoints.row-3"],
        kit: ["endpoints.row-3"],
      }),
      both("resources.verification-response.row-2", "error_code: empty on success.", { sandbox: ["endpoints.row-3"] }),
      both("resources.verification-response.row-3", "error_message: empty on success.", {
        sandbox: ["endpoints.row-3"],
        kit: ["resources.verification-response.row-2"],
      }),
      both("resources.verification-response.id", "A verification_id names it in the confirmation path and in events.", {
        kit: ["endpoints.row-3", "endpoints.row-4"],
      }),
      both("resources.confirmation.row-1", "Confirmation request: otp_code, a string.", { kit: ["endpoints.row-4"] }),
      both("resources.confirmation.row-2", "Confirmation response: success, a boolean.", { kit: ["W18"] }),
      both("resources.confirmation.row-3", "Confirmation response: message, a string.", {
        sandbox: ["resources.confirmation.row-2"],
        kit: ["endpoints.row-4"],
      }),
      service(
        "resources.confirmation.codes",
        "The service generates, stores and expires the code, unless custom_otp is given.",
        ["errors.row-2", "resources.verification-request.row-4"],
      ),
      both(
        "resources.confirmation.status-record",
        "A status record holds message_id, recipient, status and status_updated_at.",
      ),
    ],
  },
  {
    title: "States and transitions",
    file: "test/specification/3-states.test.ts",
    rules: [
      both("states.messages.names", "Message statuses: QUEUED, SENT, FAILED, DELIVERED.", {
        sandbox: ["states.messages.row-1", "states.messages.typical"],
        kit: ["W13"],
      }),
      service("states.messages.row-1", "An accepted recipient's message is QUEUED, and the answer comes at once."),
      service("states.messages.row-2", "SENT becomes FAILED when delivery fails, with an event.", [
        "states.messages.typical",
      ]),
      service("states.messages.row-3", "SENT becomes DELIVERED when delivery succeeds, with an event.", [
        "states.messages.typical",
      ]),
      service("states.messages.typical", "An SMS emits SENT, then FAILED or DELIVERED."),
      customer("states.messages.final", "Final statuses are never downgraded.", ["W13"]),
      service("states.verification.1", "Priority 1 is tried first; a failure or time-out moves on."),
      service("states.verification.2", "Each channel attempt produces an event, the outcome produces more.", [
        "events.registration.3",
      ]),
      customer("states.verification.3", "Verification status values are not shown: any is taken."),
      both("states.verification.4", "Wrong, expired and too many codes are refused.", {
        sandbox: ["errors.row-1", "errors.row-2", "errors.row-3"],
        kit: ["L35"],
      }),
    ],
  },
  {
    title: "Endpoints",
    file: "test/specification/4-endpoints.test.ts",
    rules: [
      both("endpoints.api-key", "All requests carry X-API-KEY."),
      both("endpoints.content-type", "Requests with a body carry Content-Type: application/json."),
      both("endpoints.row-1", "POST /messages answers 200, each message QUEUED.", {
        sandbox: ["resources.message-response.row-3"],
      }),
      both("endpoints.row-2", "GET /messages has no body; its answer's shape is open.", {
        sandbox: ["resources.confirmation.status-record"],
      }),
      both("endpoints.row-3", "POST /verifications answers a verification response."),
      both(
        "endpoints.row-4",
        "POST /verifications/confirmation/{verification_id} answers success and message, or 400.",
        { sandbox: ["resources.confirmation.row-2", "errors.row-2"] },
      ),
      service("endpoints.rules.1", "A 200 means accepted, not that it reached the handset.", ["states.messages.row-1"]),
      service("endpoints.rules.2", "request_id is per call, message_id per recipient and channel attempt."),
      both(
        "endpoints.rules.3",
        "custom_otp is delivered as given; the caller validates it, never the confirmation endpoint.",
      ),
      service("endpoints.rules.4", "callback_url overrides the application's endpoint for that request only.", [
        "events.registration.2",
      ]),
      customer("endpoints.rules.5", "Channel names beyond SMS and WHATSAPP are not shown: any passes."),
      cannotBeShown(
        "endpoints.rules.6",
        "Endpoints for lookup by request_id and for managing applications, numbers, senders.",
        "The specification does not show them.",
      ),
      both("endpoints.rules.7", "The status of a successful POST /verifications is open: any 2xx."),
    ],
  },
  {
    title: "Authentication",
    file: "test/specification/5-authentication.test.ts",
    rules: [
      both("authentication.api.1", "Every request carries the application's key in X-API-KEY.", {
        sandbox: ["endpoints.api-key"],
        kit: ["endpoints.api-key"],
      }),
      service("authentication.api.2", "The key is per application and can be rotated.", ["resources.platform.3"]),
      customer("authentication.api.3", "The key stays on the server.", ["L10"]),
      both("authentication.api.4", "The answer to a missing or wrong key is open: it is refused."),
      service("authentication.webhook.row-1", "X-Webhook-Signature: a versioned list, today one entry, v1=.", [
        "versioning.2",
      ]),
      customer("authentication.webhook.row-1-later", "Later versions may add entries; the v1 entry is read.", ["W4"]),
      service("authentication.webhook.row-2", "X-Webhook-Timestamp: Unix seconds of this delivery attempt.", [
        "authentication.notes.fresh",
      ]),
      service("authentication.signature.1", "Signed are the timestamp, a period, and the exact raw body."),
      service(
        "authentication.signature.2",
        "HMAC-SHA256 under the signing secret, as lowercase hexadecimal after v1=.",
        ["authentication.signature.1"],
      ),
      service("authentication.signature.3", "One secret per application, for its endpoints and every callback_url.", [
        "authentication.signature.4",
      ]),
      service(
        "authentication.signature.4",
        "Regenerating the secret affects all of the application's deliveries at once.",
      ),
      service("authentication.signature.4-once", "The secret is displayed once."),
      customer("authentication.receiver.1", "Read the raw bytes before any JSON parsing.", ["W1"]),
      customer("authentication.receiver.2", "Refuse a missing header, and a timestamp that is no integer.", ["W2"]),
      customer("authentication.receiver.3", "Refuse a timestamp more than 300 seconds away, either way.", ["W3"]),
      customer("authentication.receiver.4", "Split the signature header on commas, take the v1 entry.", ["W4"]),
      customer("authentication.receiver.5", "Recompute the HMAC over timestamp, period and raw body, in lowercase.", [
        "W2",
      ]),
      cannotBeShown(
        "authentication.receiver.6",
        "Compare in constant time.",
        "Timing cannot be told apart from noise in a test; `timingSafeEqual` is in the kit's source.",
      ),
      customer("authentication.receiver.7", "On mismatch 401 and nothing processed; on match the event is handled.", [
        "W2",
      ]),
      both(
        "authentication.notes.integrity",
        "The signature proves origin and integrity, not secrecy: HTTPS stays mandatory.",
      ),
      both(
        "authentication.notes.fresh",
        "Each retry has a fresh timestamp and signature; the tolerance applies per attempt.",
        { kit: ["W3"] },
      ),
      service("authentication.notes.401", "A 401 is a failed delivery and is retried.", ["events.receiver.3"]),
    ],
  },
  {
    title: "Events",
    file: "test/specification/6-events.test.ts",
    rules: [
      both("events.kinds.row-1", "message.status.update: the delivery status of an outbound message changed.", {
        sandbox: ["events.payloads", "states.messages.typical"],
        kit: ["events.payloads"],
      }),
      both("events.kinds.row-2", "verification.update: the verification's or its message's delivery status changed.", {
        sandbox: ["events.payloads", "events.registration.3"],
        kit: ["events.payloads"],
      }),
      service("events.kinds.only", "There are no other kinds of events."),
      service("events.registration.1", "An endpoint is an HTTPS URL and a choice of events."),
      service("events.registration.2", "callback_url goes before the application's endpoint, before no delivery."),
      both("events.registration.3", "Several events come for the same message_id or verification_id.", {
        kit: ["W13"],
      }),
      service("events.receiver.1", "The endpoint's certificate must be valid and not self-signed."),
      cannotBeShown(
        "events.receiver.1-public",
        "The endpoint is reachable over public HTTPS.",
        "Tests stay on this machine, and so do the sandbox's webhooks.",
      ),
      both("events.receiver.2", "Deliveries are POST with Content-Type: application/json.", { kit: ["W1"] }),
      both("events.receiver.3", "Any 2xx acknowledges; anything else, or nothing in time, is retried.", {
        kit: ["W9"],
      }),
      customer("events.receiver.4", "The raw body must be read for the signature.", ["W6"]),
      both("events.guarantees.1", "Delivery is at least once; duplicates occur.", { kit: ["W8"] }),
      both("events.guarantees.2", "Order is not guaranteed: a retried SENT may follow DELIVERED.", { kit: ["W14"] }),
      both("events.guarantees.3", "Instants in data order events, never X-Webhook-Timestamp; older ones are ignored.", {
        kit: ["W13"],
      }),
      both("events.guarantees.4", "The payload is identical across retries, and deduplicates.", { kit: ["W8"] }),
      service("events.retry-schedule.row-1", "Attempt 1: immediate."),
      service("events.retry-schedule.row-2", "Attempt 2: 30 seconds after.", ["events.retry-schedule.row-5"]),
      service("events.retry-schedule.row-3", "Attempt 3: 2 minutes after.", ["events.retry-schedule.row-5"]),
      service("events.retry-schedule.row-4", "Attempt 4: 10 minutes after.", ["events.retry-schedule.row-5"]),
      service("events.retry-schedule.row-5", "Attempt 5: 1 hour after."),
      service("events.retry-schedule.1", "After the last attempt the event is recorded as failed."),
      service("events.retry-schedule.2", "24 hours of continuous failure disable the endpoint and mail the owner.", [
        "limits.row-4",
      ]),
      both("events.payloads", "data holds status_updated_at or updated_at, and message_id or verification_id."),
    ],
  },
  {
    title: "Errors",
    file: "test/specification/7-errors.test.ts",
    rules: [
      both("errors.row-1", "Wrong code: 400, verify.invalid_code."),
      both("errors.row-2", "Expired code: 400, verify.expired."),
      both("errors.row-3", "Attempts exhausted: 400, verify.max_attempts_reached."),
      both("errors.row-4", "Accepted: no error; error_code and error_message are empty.", {
        sandbox: ["endpoints.row-3"],
        kit: ["endpoints.row-1", "endpoints.row-3"],
      }),
      both("errors.row-5", "A failed signature check is answered 401, a failed delivery that is retried.", {
        sandbox: ["events.receiver.3"],
        kit: ["W2"],
      }),
      both("errors.row-6", "An unregistered sender fails; the form of the error is open.", {
        sandbox: ["resources.sender-rules.3"],
      }),
      both(
        "errors.confirmation-body",
        "A failed confirmation has success false and message; the code's place is open.",
      ),
    ],
  },
  {
    title: "Limits",
    file: "test/specification/8-limits.test.ts",
    rules: [
      both("limits.row-1", "A webhook is answered within 5 seconds.", { kit: ["W10"] }),
      customer("limits.row-2", "Webhook timestamps are tolerated 300 seconds, either way.", ["W3"]),
      service("limits.row-3", "5 delivery attempts per event.", ["events.retry-schedule.1"]),
      service("limits.row-4", "24 hours of continuous failure before an endpoint is disabled."),
      service("limits.row-5", "1 API key per application.", ["resources.platform.3"]),
      service("limits.row-6", "Many applications per account, without a maximum.", ["resources.platform.row-2"]),
    ],
  },
  {
    title: "Versioning",
    file: "test/specification/9-versioning.test.ts",
    rules: [
      both("versioning.1", "Version 1.0 has these webhook events.", { sandbox: ["events.kinds.only"] }),
      both("versioning.2", "Later versions may add signature entries; receivers read v1 only.", { kit: ["W4"] }),
      cannotBeShown(
        "versioning.3",
        "Announced products are not available yet.",
        "What is not there has no interface to try.",
      ),
      cannotBeShown("versioning.4", "Versions in API paths or headers.", "The specification does not show them."),
    ],
  },
] as const;

/** The id of a rule. */
export type RuleId = (typeof parts)[number]["rules"][number]["id"];

/** The number of a part, as the specification counts them. */
export type PartNumber = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

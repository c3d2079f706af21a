/** The id of the account: a sandbox stands in for the service for exactly one account. */
export const accountId = "account";

/** A sender ID that is registered on the account. It is one-way: recipients cannot reply to it. */
export interface Sender {
  /** 1 to 11 letters, digits and spaces, with at least one letter. */
  readonly name: string;
  /** ISO instant of the registration. */
  readonly registeredAt: string;
}

/**
 * A rented number, in E.164. It can receive replies, and it belongs to exactly one application.
 *
 * @see "Platform concepts" of the specification
 */
export interface RentedNumber {
  readonly phone: string;
  readonly applicationId: string;
  readonly kind: "local" | "mobile" | "toll_free";
  /** The uses of the number. Only a number with `SMS` can send messages. */
  readonly capabilities: readonly ("voice" | "SMS")[];
  /** The destination of inbound calls. SMS over the API work with a trunk as well. */
  readonly routing: "none" | "sip_trunk";
}

/** An invoice of the account. It is a record only: the sandbox never charges money. */
interface Invoice {
  readonly number: string;
  readonly issuedOn: string;
  readonly amount: string;
}

/** The price of one unit of a product. It is a record only: the sandbox never charges money. */
interface Price {
  readonly product: string;
  readonly unit: string;
  readonly amount: string;
}

/** The account that all applications share. @see "Platform concepts" of the specification */
export interface Account {
  /** Always the same: there is one account. */
  readonly id: typeof accountId;
  readonly company: string;
  /** The address that mails about disabled endpoints go to. */
  readonly ownerEmail: string;
  /** Amount and currency, as text. */
  readonly balance: string;
  readonly pricing: readonly Price[];
  readonly invoices: readonly Invoice[];
  readonly senders: readonly Sender[];
  readonly numbers: readonly RentedNumber[];
}

/** A mail from the service to the owner of the account, about an application. The sandbox stores mails and never sends them. */
export interface Mail {
  readonly id: string;
  readonly applicationId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** ISO instant on the application's clock. */
  readonly sentAt: string;
}

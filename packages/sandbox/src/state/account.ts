/** Who owns everything: the sandbox is the service for one account. */
export const accountId = "account";

/** A sender ID that is registered on the account. It is one-way: nobody can reply to it. */
export interface Sender {
  /** Letters, digits and spaces, at most 11. */
  readonly name: string;
  readonly registeredAt: string;
}

/**
 * A rented number. It is two-way capable and belongs to exactly one application.
 *
 * @see "Platform concepts" of the specification
 */
export interface RentedNumber {
  /** E.164. */
  readonly phone: string;
  readonly applicationId: string;
  readonly kind: "local" | "mobile" | "toll_free";
  readonly capabilities: readonly ("voice" | "SMS")[];
  /** Where its inbound calls go. SMS over the API work beside a trunk. */
  readonly routing: "none" | "sip_trunk";
}

/** A plain record of the account: nothing in the sandbox charges money. */
export interface Invoice {
  readonly number: string;
  readonly issuedOn: string;
  readonly amount: string;
}

/** What one piece costs, by product. */
export interface Price {
  readonly product: string;
  readonly unit: string;
  readonly amount: string;
}

/** The account: one per customer. @see "Platform concepts" of the specification */
export interface Account {
  readonly id: typeof accountId;
  readonly company: string;
  readonly ownerEmail: string;
  /** Amount and currency, as text. */
  readonly balance: string;
  readonly pricing: readonly Price[];
  readonly invoices: readonly Invoice[];
  readonly senders: readonly Sender[];
  readonly numbers: readonly RentedNumber[];
}

/** A mail that the service sent to the owner of the account. It leaves the sandbox on no other way. */
export interface Mail {
  readonly id: string;
  /** The application it is about. */
  readonly applicationId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sentAt: string;
}

/** The channels of the service, as they are written on the wire. */
export type ServiceChannel = "SMS" | "WHATSAPP" | "VIBER" | "TELEGRAM" | "VOICE";

/** A channel of the service, or the name of any other one: an editor offers the service's, and takes every text. */
export type Channel = ServiceChannel | (string & Record<never, never>);

import { type Dialect, dialectChoices } from "@doorcode/sandbox";
import { type Host, hosts } from "../support/hosts.ts";
import { pairwise } from "../support/pairwise.ts";
import type { Owner } from "./expected-answers.ts";

/** The first choice of each row, written out: the default must not drift with the code. */
export const defaults: Dialect = {
  verificationId: "verification_id",
  acceptedStatus: 200,
  confirmationRefusal: "status_400",
  errorCode: "error_code",
  refusalStatus: "401_422",
  refusalBody: "json",
  envelope: "event",
  eventFields: "documented",
  instants: "iso_milliseconds",
  verificationStatuses: "known",
  messageStatuses: "four",
  channelNames: "five",
  customOtpTemplate: "optional",
  messageList: "messages",
  unregisteredSender: "refused",
  httpTargets: "loopback",
};

/** A dialect, and the app that the service speaks it with. */
export interface DialectCase {
  /** For titles: the choices that are not the default. */
  readonly name: string;
  readonly dialect: Dialect;
  readonly owner: Owner;
  readonly host: Host;
  /** The name of the framework. */
  readonly on: string;
}

const owners: readonly Owner[] = ["service", "app"];

/** Every pair of choices, and every choice with each framework and each owner of the codes. */
const mixed = pairwise({ ...dialectChoices, host: hosts, owner: owners }).map(({ host, owner, ...dialect }) =>
  caseOf(dialect, host, owner),
);

const unmixed = hosts.flatMap((host) => owners.map((owner) => caseOf(defaults, host, owner)));

/** The default dialect on every framework with every owner, and the mixed dialects. */
export const dialectCases: readonly DialectCase[] = [...unmixed, ...mixed];

function caseOf(dialect: Dialect, host: Host, owner: Owner): DialectCase {
  const choices = rows().filter((row) => dialect[row] !== defaults[row]);
  const name = choices.map((row) => `${row} ${dialect[row]}`).join(", ");
  return { name: name || "the default dialect", dialect, owner, host, on: host.name };
}

function rows(): readonly (keyof Dialect)[] {
  return Object.keys(dialectChoices).filter((row): row is keyof Dialect => row in dialectChoices);
}

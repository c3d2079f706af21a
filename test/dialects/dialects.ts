import { type Dialect, dialectChoices } from "@doorcode/sandbox";
import fc from "fast-check";
import { type Host, hosts } from "../support/hosts.ts";

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

/** One dialect with its name, which says how to have it again. */
export interface NamedDialect {
  readonly name: string;
  readonly dialect: Dialect;
}

/** The default, and every other choice of every row with all other rows at their default. */
const singleDialects: readonly NamedDialect[] = [
  { name: "the default dialect", dialect: defaults },
  ...rows().flatMap((row) =>
    dialectChoices[row]
      .slice(1)
      .map((choice) => ({ name: `${row}: ${choice}`, dialect: { ...defaults, [row]: choice } })),
  ),
];

const anyDialect: fc.Arbitrary<Dialect> = fc.record({
  verificationId: fc.constantFrom(...dialectChoices.verificationId),
  acceptedStatus: fc.constantFrom(...dialectChoices.acceptedStatus),
  confirmationRefusal: fc.constantFrom(...dialectChoices.confirmationRefusal),
  errorCode: fc.constantFrom(...dialectChoices.errorCode),
  refusalStatus: fc.constantFrom(...dialectChoices.refusalStatus),
  refusalBody: fc.constantFrom(...dialectChoices.refusalBody),
  envelope: fc.constantFrom(...dialectChoices.envelope),
  eventFields: fc.constantFrom(...dialectChoices.eventFields),
  instants: fc.constantFrom(...dialectChoices.instants),
  verificationStatuses: fc.constantFrom(...dialectChoices.verificationStatuses),
  messageStatuses: fc.constantFrom(...dialectChoices.messageStatuses),
  channelNames: fc.constantFrom(...dialectChoices.channelNames),
  customOtpTemplate: fc.constantFrom(...dialectChoices.customOtpTemplate),
  messageList: fc.constantFrom(...dialectChoices.messageList),
  unregisteredSender: fc.constantFrom(...dialectChoices.unregisteredSender),
  httpTargets: fc.constantFrom(...dialectChoices.httpTargets),
});

/** A random choice of every row, the same for the same seed. */
function mixOf(seed: number): NamedDialect {
  const [dialect = defaults] = fc.sample(anyDialect, { seed, numRuns: 1 });
  return { name: `mix of seed ${seed}`, dialect };
}

/** A dialect, and the framework that the app is on. */
export interface HostedDialect extends NamedDialect {
  readonly host: Host;
  /** Its name. */
  readonly on: string;
}

const mixes = Array.from({ length: 25 }, (_, index) => mixOf(index + 1));

/** Every dialect on one framework, by turns. */
export const oneHostEach: readonly HostedDialect[] = [...singleDialects, ...mixes].flatMap((named, index) =>
  onHosts(named, hosts.slice(index % hosts.length, (index % hosts.length) + 1)),
);

/** Every single dialect on every framework, and the mixes by turns. */
export const everyHost: readonly HostedDialect[] = [
  ...singleDialects.flatMap((named) => onHosts(named, hosts)),
  ...oneHostEach.slice(singleDialects.length),
];

function onHosts(named: NamedDialect, on: readonly Host[]): readonly HostedDialect[] {
  return on.map((host) => ({ ...named, host, on: host.name }));
}

/** The names of the rows. */
export function rows(): readonly (keyof Dialect)[] {
  return Object.keys(dialectChoices).filter((row): row is keyof Dialect => row in dialectChoices);
}

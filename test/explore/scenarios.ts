import {
  afterWrongCodes,
  codeOf,
  confirm,
  deliver,
  deliverAgain,
  finishLogin,
  guard,
  loggedIn,
  logout,
  look,
  remove,
  repeat,
  resend,
  start,
  started,
  wrong,
} from "./people.ts";
import type { Sending, World, WorldOptions } from "./world.ts";

/** What people, and the service, do at the same time. */
export interface Scenario {
  readonly title: string;
  readonly options: WorldOptions;
  /** What has happened before. */
  prepare(world: World): Promise<void>;
  /** The requests whose calls are explored. */
  readonly requests: (world: World) => readonly Sending[];
  /** What people, and the service, do afterwards, when nothing fails any more. */
  finish(world: World): Promise<void>;
}

const ofLogins = { options: { does: "login" }, prepare: started } as const;
const ofWebhooks = { options: { does: "webhooks" }, prepare: async () => undefined, finish: deliverAgain } as const;

/** The person of the browser types the newest code again. */
const finishRight = (world: World) => finishLogin(world, [codeOf(world, "browser")]);

/** Every scenario. */
export const scenarios: readonly Scenario[] = [
  {
    ...ofLogins,
    title: "two starts of one number in two browsers",
    prepare: async () => undefined,
    requests: () => [start("browser", "A"), start("second browser", "B")],
    async finish(world) {
      const first = codeOf(world, "browser") === undefined ? "second browser" : "browser";
      await finishLogin(world, [codeOf(world, first)], first);
    },
  },
  {
    ...ofLogins,
    title: "two starts in one browser",
    prepare: async () => undefined,
    requests: () => [start("browser", "A"), start("browser", "B")],
    finish: finishRight,
  },
  {
    ...ofLogins,
    title: "the right code and a wrong one",
    requests: (world) => [confirm(world.code(), "right code", "A"), confirm(wrong, "wrong code", "B")],
    finish: finishRight,
  },
  {
    ...ofLogins,
    title: "the right code twice",
    requests: (world) => [confirm(world.code(), "right code", "A"), confirm(world.code(), "second click", "B")],
    finish: finishRight,
  },
  {
    ...ofLogins,
    title: "the right code as the last attempt, twice",
    prepare: (world) => afterWrongCodes(world, 4),
    requests: (world) => [confirm(world.code(), "right code", "A"), confirm(world.code(), "second click", "B")],
    finish: finishRight,
  },
  {
    ...ofLogins,
    title: "two wrong codes, with one attempt left",
    prepare: (world) => afterWrongCodes(world, 4),
    requests: () => [confirm(wrong, "wrong code", "A"), confirm(wrong, "second wrong code", "B")],
    finish: finishRight,
  },
  {
    ...ofLogins,
    title: "two wrong codes and the right one, with two attempts left",
    prepare: (world) => afterWrongCodes(world, 3),
    requests: (world) => [
      confirm(wrong, "wrong code", "A"),
      confirm(wrong, "second wrong code", "B"),
      confirm(world.code(), "right code", "C"),
    ],
    finish: finishRight,
  },
  {
    ...ofLogins,
    title: "the right code and a resend",
    requests: (world) => [confirm(world.code(), "right code", "A"), resend("resend", "B")],
    finish: (world) => finishLogin(world, [world.service.verifications[0]?.code, world.code()]),
  },
  {
    ...ofLogins,
    title: "the right code twice, a wrong one and a resend",
    requests: (world) => [
      confirm(world.code(), "right code", "A"),
      confirm(world.code(), "second click", "B"),
      confirm(wrong, "wrong code", "C"),
      resend("resend", "D"),
    ],
    finish: (world) => finishLogin(world, [world.service.verifications[0]?.code, world.code()]),
  },
  {
    ...ofLogins,
    title: "two resends",
    requests: () => [resend("resend", "A"), resend("second resend", "B")],
    finish: (world) => finishLogin(world, world.service.verifications.map(({ code }) => code).toReversed()),
  },
  {
    ...ofLogins,
    title: "two logins of one number, both confirmed",
    async prepare(world) {
      await started(world);
      await started(world, "second browser");
    },
    requests: (world) => [
      confirm(world.code(2), "right code", "A"),
      confirm(world.code(1), "right code of the second", "B", "second browser"),
    ],
    finish: finishRight,
  },
  {
    title: "the right code and the removal of the number",
    options: { does: "login", removes: true },
    async prepare(world) {
      await loggedIn(world, "owner");
      await started(world);
    },
    requests: (world) => [confirm(world.code(), "right code", "A"), remove("removal", "B")],
    async finish(world) {
      await repeat(world, remove("removal", "B"));
      await look(world);
    },
  },
  {
    title: "a logout and two guards",
    options: { does: "login" },
    async prepare(world) {
      await loggedIn(world);
      world.browsers.set("copy of browser", new Map(world.browsers.get("browser")));
    },
    requests: () => [logout("A"), guard("guard", "B", "browser"), guard("guard of a copy", "B", "copy of browser")],
    async finish(world) {
      await repeat(world, logout("A"));
      await look(world);
    },
  },
  {
    ...ofWebhooks,
    title: "an older and a newer delivery, in one process",
    requests: () => [deliver("SENT", "A"), deliver("DELIVERED", "A")],
  },
  {
    ...ofWebhooks,
    title: "an older and a newer delivery, in two processes",
    requests: () => [deliver("SENT", "A"), deliver("DELIVERED", "B")],
  },
  {
    ...ofWebhooks,
    title: "one delivery twice",
    requests: () => [deliver("SENT", "A"), deliver("SENT", "B")],
  },
  {
    ...ofWebhooks,
    title: "three deliveries in two processes",
    requests: () => [deliver("QUEUED", "A"), deliver("SENT", "B"), deliver("DELIVERED", "A")],
  },
];

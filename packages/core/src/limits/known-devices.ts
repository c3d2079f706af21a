import type { CounterChange } from "../store/store.ts";
import type { CounterQuery } from "./query.ts";

/*
 * A number knows the devices that have proven it last. Each proof takes the next place, and the device's own counter has its place:
 * a device is known while its place is one of the last eight. So two counters tell which devices are known, and no list is kept.
 */

/** A device that has proven the number: the one that did so last, or any other. */
export type KnownDevice = "newest" | "other";

/** The device of a login among those that have proven its number. */
export interface DevicePlaces {
  /** The digest of the device's id; `undefined` for a browser without one. */
  readonly device?: string | undefined;
  /** The place of the device; 0 if it has none. */
  readonly devicePlace: number;
  /** The place that was taken last. */
  readonly newestPlace: number;
}

/** The time for which a device is remembered that has proven a number: 180 days after the last proof. */
export const deviceSeconds = 15_552_000;

/** The devices of a number that are known at the same time. The one that has proven the number the longest ago is forgotten first. */
export const maxKnownDevices = 8;

/** Returns the query that tells whether a device has proven a number. */
export function deviceQuery(
  prefix: string,
  phoneFingerprint: string,
  device: string | undefined,
): CounterQuery<DevicePlaces> {
  return {
    changes: [
      newestPlace(prefix, phoneFingerprint, 0),
      ...(device === undefined ? [] : [placeOf(prefix, phoneFingerprint, device, 0)]),
    ],
    read: ([newest, own]) => ({ device, devicePlace: own?.count ?? 0, newestPlace: newest?.count ?? 0 }),
  };
}

/** Tells whether a device is known, and whether it has proven the number last. */
export function knownDeviceOf({ devicePlace, newestPlace }: DevicePlaces): KnownDevice | undefined {
  const isKnown = devicePlace > 0 && devicePlace > newestPlace - maxKnownDevices && devicePlace <= newestPlace;
  if (!isKnown) return undefined;
  return devicePlace === newestPlace ? "newest" : "other";
}

/**
 * Returns the changes that make a device the newest one of a number.
 *
 * @param places - those of the login that has proven the number, as they were when it began.
 */
export function deviceChanges(
  prefix: string,
  phoneFingerprint: string,
  device: string,
  places: DevicePlaces,
): readonly CounterChange[] {
  const from = places.device === device ? places.devicePlace : 0;
  return [
    newestPlace(prefix, phoneFingerprint, 1),
    placeOf(prefix, phoneFingerprint, device, places.newestPlace + 1 - from),
  ];
}

/** Returns the change after which no device of a number is known. */
export function forgettingDevices(prefix: string, phoneFingerprint: string): CounterChange {
  return newestPlace(prefix, phoneFingerprint, maxKnownDevices);
}

function newestPlace(prefix: string, phoneFingerprint: string, by: number): CounterChange {
  return { key: `${prefix}:devices:${phoneFingerprint}`, by, ttlSeconds: deviceSeconds, renew: true };
}

function placeOf(prefix: string, phoneFingerprint: string, device: string, by: number): CounterChange {
  return { key: `${prefix}:device:${phoneFingerprint}:${device}`, by, ttlSeconds: deviceSeconds, renew: true };
}

export { type InstrumentOptions, instrumentDoorcode } from "./instrument.ts";

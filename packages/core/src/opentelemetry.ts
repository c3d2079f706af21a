export { type InstrumentOptions, instrumentDoorcode } from "./opentelemetry/instrument.ts";

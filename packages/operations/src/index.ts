export { createOperations } from "./create-operations.tsx";
export { type FiguresRecorder, type RecordOptions, recordFigures } from "./figures/record-figures.ts";
export type { EndpointFinding, NameOperator, OperationsOptions } from "./options.ts";

/*
 * The parts of which the operators' page and the sandbox's page are made. They are internal to Doorcode's pages: an app does not import
 * them, and they change without notice.
 */
export { Chart } from "./page-parts/chart.tsx";
export { Field, type FieldProps, PostButton, Select, type SelectProps } from "./page-parts/controls.tsx";
export { Card, EmptyNote, Facts, type Html, nothing } from "./page-parts/elements.tsx";
export { Icon, type IconName, Logo, logoUrl } from "./page-parts/icon.tsx";
export { Status, type Tone } from "./page-parts/status.tsx";
export { readStyle } from "./page-parts/style.ts";
export { Table } from "./page-parts/table.tsx";

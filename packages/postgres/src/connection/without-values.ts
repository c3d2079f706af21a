const quotations: readonly string[] = ["detail", "where", "internalQuery"];

/**
 * Takes out of an error what PostgreSQL quotes in it of the statement: `detail` shows rows, and `where` the parameters,
 * when the server sets `log_parameter_max_length_on_error`. Phone numbers are among them, and errors are published.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const quotation of quotations) if (quotation in error) Reflect.set(error, quotation, undefined);
  return error;
}

const quotations: readonly string[] = ["detail", "where", "internalQuery"];

/**
 * Removes from an error what PostgreSQL quotes of the statement: `detail` contains rows, and `where` contains parameters if
 * the server sets `log_parameter_max_length_on_error`. They may hold phone numbers, and errors are published.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const quotation of quotations) if (quotation in error) Reflect.set(error, quotation, undefined);
  return error;
}

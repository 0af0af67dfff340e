/** Returns the code of a tool's failure, such as `CHECKPOINT_NOT_FOUND`; `undefined` for a success. */
export function outcomeOf({ isError, _meta }: Readonly<Record<string, unknown>>): string | undefined {
  if (isError !== true) return undefined;
  const { code } = (_meta ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "tool_error";
}

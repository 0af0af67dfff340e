type Scalar = string | number | bigint | boolean | null | undefined;

/** Value of a parameter of a statement. */
export type Parameter = Scalar | Date | Uint8Array | readonly Scalar[];

/** Returns a parameter as the protocol has it: bytes as they are, all else as text that PostgreSQL reads. */
export function parameterText(value: Parameter): Buffer | string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof Date ? value.toISOString() : arrayText(value);
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayText(values: readonly Scalar[]): string {
  const elements = values.map((value) => {
    if (typeof value === "object" && value !== null) throw new TypeError("A list in a parameter holds texts, numbers and booleans.");
    return value === null || value === undefined ? "NULL" : `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  });
  return `{${elements.join()}}`;
}

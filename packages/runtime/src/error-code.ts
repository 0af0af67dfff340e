/** Returns the system's code of an error, such as `ENOENT`, or else the error as text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

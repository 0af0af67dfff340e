/** The system's code of an error, such as `ENOENT`, or else the error in words. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

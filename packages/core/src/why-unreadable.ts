const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "you may not read it",
  EPERM: "you may not read it",
};

/** Returns the reason why a file cannot be read, for people. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

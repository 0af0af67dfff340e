/** Tells whether an error has one of Node's codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** Error codes of a hard link on file systems without hard links; Windows reports EISDIR on FAT. */
const WITHOUT_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EISDIR"] as const;

/** Tells whether a link failed because the file system has none. */
export function isWithoutLinks(error: unknown): boolean {
  return hasCode(error, ...WITHOUT_LINKS);
}

/** Error codes of syncing a directory on file systems, mostly network ones, that do not support it. */
const WITHOUT_DIRECTORY_SYNC = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EBADF"] as const;

/** Tells whether syncing a directory failed because it is not supported. The system alone then makes names durable. */
export function isWithoutDirectorySync(error: unknown): boolean {
  return hasCode(error, ...WITHOUT_DIRECTORY_SYNC);
}

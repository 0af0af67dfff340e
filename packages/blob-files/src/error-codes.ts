/** Whether an error is Node's with one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** What the system says of a second name for a file where the file system has none; Windows says of FAT that it is a directory. */
const WITHOUT_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EISDIR"] as const;

/** Whether a link could not be made because there can be none. */
export function isWithoutLinks(error: unknown): boolean {
  return hasCode(error, ...WITHOUT_LINKS);
}

/** What the system says when it is to sync a directory on a file system, most often one of a network, that does not know how. */
const WITHOUT_DIRECTORY_SYNC = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EBADF"] as const;

/** Whether a directory could not be synced because none can be there: then its names are the system's to keep. */
export function isWithoutDirectorySync(error: unknown): boolean {
  return hasCode(error, ...WITHOUT_DIRECTORY_SYNC);
}

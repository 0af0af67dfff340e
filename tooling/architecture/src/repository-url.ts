/** Address of the repository. Links of a package's README use it, because a registry shows the README alone. */
export const REPOSITORY_URL = "https://github.com/workrail/workrail";

/** Returns the repository path that an address shows; `undefined` for other addresses. `""` is the repository itself. */
export function pathOfUrl(link: string): string | undefined {
  if (link === REPOSITORY_URL) return "";
  const shown = new RegExp(`^${REPOSITORY_URL}/(?:blob|tree)/main/`);
  return shown.test(link) ? link.replace(shown, "") : undefined;
}

/** Where the project is. Links of a package's README lead there, because a registry shows the README alone. */
export const REPOSITORY_URL = "https://github.com/workrail/workrail";

/** The path in the repository that such an address shows; `undefined` for other addresses. `""` is the repository itself. */
export function pathOfUrl(link: string): string | undefined {
  if (link === REPOSITORY_URL) return "";
  const shown = new RegExp(`^${REPOSITORY_URL}/(?:blob|tree)/main/`);
  return shown.test(link) ? link.replace(shown, "") : undefined;
}

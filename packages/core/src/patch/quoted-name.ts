const LONGEST_NAME = 60;

/** Shortens a key or a place for an error message: hostile keys must not inflate a message. */
export function clipName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}...`;
}

/** Shortens a name and quotes it as JSON. */
export function quoted(name: string): string {
  return JSON.stringify(clipName(name));
}

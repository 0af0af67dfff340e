const LONGEST_NAME = 60;

/** A key or a place as an error names it: hostile keys must not blow up a message. */
export function clipName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}...`;
}

/** The same in quotation marks, as in JSON. */
export function quoted(name: string): string {
  return JSON.stringify(clipName(name));
}

/** What this product's command line is called when nothing else is said. */
const USUAL = "workrail";

let own = USUAL;

/** Sets the name by which this process was started: the MCP server has the same commands. */
export function setOwnName(name: string): void {
  own = name;
}

/** A text for people, in which commands are called as they can be called here. */
export function inOwnName(text: string): string {
  return own === USUAL ? text : text.replaceAll(/\bworkrail (?=--|[a-z])/gu, `${own} `);
}

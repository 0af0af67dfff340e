/** What this product's command line is called when nothing else is said. */
const USUAL = "workrail";

/** The packages with the programs of these names: `npx` leaves no program behind that could be called by its name. */
const PACKAGES = { workrail: "@workrail/cli", "workrail-mcp": "@workrail/mcp-server" } as const;

export type ProgramName = keyof typeof PACKAGES;

let own: string = USUAL;

/** Sets as what this process was started: the MCP server has the same commands, and `npx` runs either without installing it. */
export function setOwnName(program: ProgramName, env: Readonly<Record<string, string | undefined>> = process.env): void {
  own = env["npm_lifecycle_event"] === "npx" ? `npx -y ${PACKAGES[program]}` : program;
}

/** How the command line is called here. */
export function ownName(): string {
  return own;
}

/** A text for people, in which commands, which stand in backticks, are called as they can be called here. */
export function inOwnName(text: string): string {
  return text.replaceAll(/`workrail (?=--|[a-z])/gu, () => `\`${own} `);
}

/** The same of a page of help, in which commands need no backticks. */
export function helpInOwnName(text: string): string {
  return text.replaceAll(/\bworkrail(?:-mcp)? (?=--|[a-z[])/gu, () => `${own} `);
}

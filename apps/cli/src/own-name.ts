/** What this product's command line is called when nothing else is said. */
const USUAL = "workrail";

/** The packages with the programs of these names: what runs one without installing it leaves no program behind that could be called by its name. */
const PACKAGES = { workrail: "@workrail/cli", "workrail-mcp": "@workrail/mcp-server" } as const;

export type ProgramName = keyof typeof PACKAGES;

let own: string = USUAL;

interface StartedBy {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file that Node runs. */
  readonly script: string | undefined;
}

/** Sets as what this process was started: the MCP server has the same commands, and either can be run without installing it. */
export function setOwnName(program: ProgramName, start: Partial<StartedBy> = {}): void {
  const runner = runnerOf({ env: process.env, script: process.argv[1], ...start });
  own = runner === undefined ? program : `${runner} ${PACKAGES[program]}`;
}

/** Where `pnpm dlx` installs what it runs, from version 8 on: `dlx-<number>`, later `dlx/<digest>/<time>`. */
const DLX_FOLDER = /[\\/]dlx(?:-\d+|(?:[\\/][^\\/]+){2})[\\/]node_modules[\\/]/u;

/** What ran the program without installing it. npm and Bun say so, and so do later versions of pnpm; of the others the place tells. */
function runnerOf({ env, script = "" }: StartedBy): string | undefined {
  if (env["npm_command"] === "dlx" || DLX_FOLDER.test(script)) return "pnpm dlx";
  if (env["npm_lifecycle_event"] === "bunx") return "bunx";
  return env["npm_lifecycle_event"] === "npx" ? "npx -y" : undefined;
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

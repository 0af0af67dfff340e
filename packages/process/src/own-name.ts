/** Default name of the command line. */
const USUAL = "workrail";

/** Packages of the programs. A tool that runs a package without installing it leaves no program that could be called by its name. */
const PACKAGES = { workrail: "@workrail/cli", "workrail-mcp": "@workrail/mcp-server" } as const;

/** Reader of a hint: a person at a shell, for whom it names commands, or an agent, for which it names tools. */
export type HintReader = "agent" | "shell";

export type ProgramName = keyof typeof PACKAGES;

let own: string = USUAL;

interface StartedBy {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** File that Node runs. */
  readonly script: string | undefined;
}

/** Sets how this process was started: the MCP server has the same commands, and both can run without being installed. */
export function setOwnName(program: ProgramName, start: Partial<StartedBy> = {}): void {
  const runner = runnerOf({ env: process.env, script: process.argv[1], ...start });
  own = runner === undefined ? program : `${runner} ${PACKAGES[program]}`;
}

/** Install folders of `pnpm dlx` since version 8: `dlx-<number>`, later `dlx/<digest>/<time>`. */
const DLX_FOLDER = /[\\/]dlx(?:-\d+|(?:[\\/][^\\/]+){2})[\\/]node_modules[\\/]/u;

/**
 * Returns the tool that runs the program without installing it. npm, Bun and later versions of pnpm set variables; for others the path
 * tells.
 */
function runnerOf({ env, script = "" }: StartedBy): string | undefined {
  if (env["npm_command"] === "dlx" || DLX_FOLDER.test(script)) return "pnpm dlx";
  if (env["npm_lifecycle_event"] === "bunx") return "bunx";
  return env["npm_lifecycle_event"] === "npx" ? "npx -y" : undefined;
}

/** Returns the name of the command line. */
export function ownName(): string {
  return own;
}

/** Returns a command line that can be pasted into a shell here. */
export function callOf(args: string): string {
  return `${own} ${args}`;
}

/**
 * Rewrites the commands in a hint, which are in backticks, for its reader. For a shell: as they can be called here. For an agent: the tool
 * that does the same, or else the command with the remark that it is for a shell.
 */
export function inOwnName(text: string, reader: HintReader = "shell"): string {
  if (reader === "shell") return text.replaceAll(/`workrail (?=--|[a-z])/gu, () => `\`${own} `);
  return text.replaceAll(
    /`workrail ((?:--|[a-z])[^`]*)`/gu,
    (_all, command: string) => toolFor(command) ?? `\`${own} ${command}\` (in a shell)`,
  );
}

/** Tools that do the same as a command. `id` is the field of the command's argument. */
const TOOLS: Readonly<Record<string, { readonly tool: string; readonly id?: "checkpointId" | "sessionId" }>> = {
  save: { tool: "workflow_checkpoint_save" },
  load: { tool: "workflow_checkpoint_load", id: "checkpointId" },
  show: { tool: "workflow_checkpoint_load", id: "checkpointId" },
  list: { tool: "workflow_checkpoint_list" },
  sessions: { tool: "workflow_checkpoint_list" },
  log: { tool: "workflow_checkpoint_list", id: "sessionId" },
  search: { tool: "checkpoint_search" },
  resume: { tool: "workflow_resume" },
  compress: { tool: "workflow_context_compress" },
  pin: { tool: "workflow_mark_critical" },
};

/** Converts a call such as `show x` or `list --session y` into words for an agent; `undefined` when no tool does that. */
function toolFor(command: string): string | undefined {
  const [name = "", ...words] = command.split(" ");
  const known = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (known === undefined) return undefined;
  const [first, second] = words;
  const session = first === "--session" ? second : undefined;
  const field = session === undefined ? known.id : "sessionId";
  const value = session ?? (first?.startsWith("-") === false ? first : undefined);
  return field === undefined || value === undefined ? `\`${known.tool}\`` : `\`${known.tool}\` with ${field} ${value}`;
}

/** Rewrites a help page, where commands have no backticks. */
export function helpInOwnName(text: string): string {
  return text.replaceAll(/\bworkrail(?:-mcp)? (?=--|[a-z[])/gu, () => `${own} `);
}

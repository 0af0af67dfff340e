/** What this product's command line is called when nothing else is said. */
const USUAL = "workrail";

/** The packages with the programs of these names: what runs one without installing it leaves no program behind that could be called by its name. */
const PACKAGES = { workrail: "@workrail/cli", "workrail-mcp": "@workrail/mcp-server" } as const;

/** A hint names a command to somebody at a shell, and a tool to an agent. */
export type HintReader = "agent" | "shell";

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

/** A command line that can be pasted here. */
export function callOf(args: string): string {
  return `${own} ${args}`;
}

/**
 * A hint for its reader. Hints name commands, in backticks: in a shell as they can be called there. An agent reads the
 * tool that does the same, or, where there is none, the command with the remark that it is for a shell.
 */
export function inOwnName(text: string, reader: HintReader = "shell"): string {
  if (reader === "shell") return text.replaceAll(/`workrail (?=--|[a-z])/gu, () => `\`${own} `);
  return text.replaceAll(
    /`workrail ((?:--|[a-z])[^`]*)`/gu,
    (_all, command: string) => toolFor(command) ?? `\`${own} ${command}\` (in a shell)`,
  );
}

/** The tools that do the same as a command; `id` is the field for the command's own operand. */
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

/** A call such as `show x` or `list --session y`, in words for an agent; `undefined` when no tool does that. */
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

/** The same of a page of help, in which commands need no backticks. */
export function helpInOwnName(text: string): string {
  return text.replaceAll(/\bworkrail(?:-mcp)? (?=--|[a-z[])/gu, () => `${own} `);
}

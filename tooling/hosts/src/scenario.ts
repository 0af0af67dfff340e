/** Hosts that are run. */
export const HOSTS = ["claude-code", "codex", "gemini", "opencode"] as const;
export type HostName = (typeof HOSTS)[number];

/** One line of a plan. */
export interface PlanItem {
  readonly text: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** A tool call in words of no host. Paths are relative to the repository, with `/`. */
export type Call =
  | { readonly tool: "shell"; readonly command: string; readonly about?: string }
  | { readonly tool: "read"; readonly path: string }
  | { readonly tool: "write"; readonly path: string; readonly content: string }
  /** `old` and `new` are whole lines, without the last line break: Codex patches lines. */
  | { readonly tool: "edit"; readonly path: string; readonly old: string; readonly new: string }
  /** A sub-agent that plays its own turns (Claude Code only). The last one is its answer. */
  | { readonly tool: "agent"; readonly about: string; readonly prompt: string; readonly turns: readonly Turn[] }
  /** The whole current plan. */
  | { readonly tool: "plan"; readonly items: readonly PlanItem[] };

/** One answer of the model. A turn without calls ends the exchange. */
export interface Turn {
  readonly text?: string;
  readonly calls?: readonly Call[];
}

/** A prompt of the person, and the turns of the model that follow. */
export interface Exchange {
  readonly prompt: string;
  readonly turns: readonly Turn[];
  /** The person presses Esc while the model thinks about a turn after these. Such scenarios run in a terminal (Claude Code only). */
  readonly isEscaped?: boolean;
}

/** A question about the work before the cut. `expect` must appear in a good resume pack. */
export interface Question {
  readonly ask: string;
  readonly expect: RegExp | string;
}

/** Coding work in a small repository. */
export interface Scenario {
  /** In kebab case; also the name of the repository's folder. */
  readonly name: string;
  readonly about: string;
  readonly hosts: readonly HostName[];
  /** The repository's first commit: content by path. */
  readonly files: Readonly<Record<string, string>>;
  /** The part that the product sees. */
  readonly before: readonly Exchange[];
  /** The host is killed while the model thinks about its next turn, after the last one of `before`. */
  readonly isInterrupted?: boolean;
  /** The part that follows. It shows which paths and commands are needed again. */
  readonly after: readonly Exchange[];
  readonly questions: readonly Question[];
}

/** A turn that reads files. */
export function reading(...paths: readonly string[]): Turn {
  return { calls: paths.map((path) => ({ tool: "read", path })) };
}

/** A turn that runs a command, after a sentence if there is one. */
export function running(command: string, text?: string): Turn {
  return { ...(text === undefined ? {} : { text }), calls: [{ tool: "shell", command }] };
}

/** A turn that replaces lines of a file. */
export function editing(path: string, lines: Omit<Extract<Call, { tool: "edit" }>, "tool" | "path">, text?: string): Turn {
  return { ...(text === undefined ? {} : { text }), calls: [{ tool: "edit", path, ...lines }] };
}

/** A turn that writes a file. */
export function writing(path: string, content: string, text?: string): Turn {
  return { ...(text === undefined ? {} : { text }), calls: [{ tool: "write", path, content }] };
}

/** A plan from lines that begin with `x ` (completed), `> ` (in progress) or `- ` (pending). */
export function planning(...lines: readonly string[]): Turn {
  return { calls: [{ tool: "plan", items: lines.map(planItem) }] };
}

/** A turn with only text. */
export function saying(text: string): Turn {
  return { text };
}

function planItem(line: string): PlanItem {
  const status = line.startsWith("x ") ? "completed" : line.startsWith("> ") ? "in_progress" : "pending";
  return { text: line.slice(2), status };
}

import { isWorkrailError } from "@workrail/core";
import type { HostDefinition, SetupScope } from "./host-definition.ts";
import type { HostPart, Program } from "./host-part.ts";
import { ALL_HOSTS } from "./hosts/all-hosts.ts";
import { readHostFile } from "./read-host-file.ts";
import type { FileChange, SetupFault } from "./setup-change.ts";
import type { SetupHost } from "./setup-hosts.ts";
import { pluginIsOn } from "./plugin-is-on.ts";
import type { Surroundings } from "./surroundings.ts";

/** What is set up. */
export interface SetupOptions {
  /** Default: `user`. */
  readonly scope?: SetupScope | undefined;
  /** Whether the MCP entry is written; default: yes. */
  readonly mcp?: boolean | undefined;
  /** Whether hooks are written; default: yes. */
  readonly hooks?: boolean | undefined;
  /** Starts the MCP server. */
  readonly server: Program;
  /** Takes `hook` and the name of a hook as its next arguments. */
  readonly hook: Program;
}

/** What a set-up of one host, or its removal, would do. */
export interface SetupPlan {
  readonly host: SetupHost;
  readonly scope: SetupScope;
  /** Files that change; a file with all entries in it is not among them. */
  readonly changes: readonly FileChange[];
  /** Files that hold all entries already. */
  readonly unchanged: readonly string[];
  /** What a person has to know or do besides. */
  readonly notes: readonly string[];
  readonly faults: readonly SetupFault[];
}

/** Finds out what setting up a host would change. Changes nothing. */
export function planSetup(host: SetupHost, options: SetupOptions, surroundings: Surroundings): SetupPlan {
  const definition = ALL_HOSTS[host];
  const scope = options.scope ?? "user";
  const parts = definition.parts(surroundings, scope, options);
  if (parts.length === 0)
    return { ...emptyPlan(host, scope), notes: [`${definition.title} has no settings for one project: leave --scope out.`] };
  if (pluginIsOn(definition, surroundings)) return { ...emptyPlan(host, scope), notes: [byPlugin(definition)] };
  const wanted = parts.filter(({ kind }) => options[kind] !== false);
  const planned = filesOf(wanted).map((file) =>
    planFile(
      file,
      wanted.filter((part) => part.file === file),
    ),
  );
  return {
    host,
    scope,
    changes: planned.flatMap(({ change }) => change ?? []),
    unchanged: planned.flatMap(({ unchanged }) => unchanged ?? []),
    faults: planned.flatMap(({ fault }) => fault ?? []),
    notes: definition.notes(scope),
  };
}

function emptyPlan(host: SetupHost, scope: SetupScope): SetupPlan {
  return { host, scope, changes: [], unchanged: [], notes: [], faults: [] };
}

export function filesOf(parts: readonly HostPart[]): readonly string[] {
  return [...new Set(parts.map(({ file }) => file))];
}

/** Exactly one is there, or none where nothing is to be said of the file. */
export interface PlannedFile {
  readonly change?: FileChange;
  readonly unchanged?: string;
  readonly fault?: SetupFault;
}

function planFile(file: string, parts: readonly HostPart[]): PlannedFile {
  return orFault(file, () => {
    const { target, text } = readHostFile(file);
    const after = parts.reduce<string | undefined>((changed, part) => part.add(changed), text);
    if (after === text) return { unchanged: file };
    const original = text === undefined ? undefined : withoutEntries(text, parts, undefined);
    const description = `${text === undefined ? "new file with" : "add or update"} ${parts.map(({ entries }) => entries).join("; ")}`;
    return { change: { file, target, before: text, after, original, parts: parts.map(({ kind }) => kind), description } };
  });
}

/** A text without entries of ours. @param original the text before them, when it is known. */
export function withoutEntries(text: string, parts: readonly HostPart[], original: string | undefined): string | undefined {
  return parts.reduce<string | undefined>((left, part) => (left === undefined ? undefined : part.remove(left, original)), text);
}

/** A file that is refused is no reason to leave out the others. */
export function orFault(file: string, plan: () => PlannedFile): PlannedFile {
  try {
    return plan();
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    return { fault: { file, message: error.message, hint: error.hint } };
  }
}

function byPlugin({ title }: HostDefinition): string {
  return `The plugin of Workrail is on in ${title} and brings the MCP server and the hooks: a set-up beside it would call every hook twice.`;
}

import { isWorkrailError } from "@workrail/core";
import type { HostDefinition, SetupScope } from "./host-definition.ts";
import type { HostPart, Program } from "./host-part.ts";
import { ALL_HOSTS } from "./hosts/all-hosts.ts";
import { readHostFile } from "./read-host-file.ts";
import type { FileChange, SetupFault } from "./setup-change.ts";
import type { SetupHost } from "./setup-hosts.ts";
import { pluginIsOn } from "./plugin-is-on.ts";
import type { Surroundings } from "./surroundings.ts";

/** Options of a set-up. */
export interface SetupOptions {
  /** Default: `user`. */
  readonly scope?: SetupScope | undefined;
  /** Writes the MCP entry. Default `true`. */
  readonly mcp?: boolean | undefined;
  /** Writes hooks. Default `true`. */
  readonly hooks?: boolean | undefined;
  /** The command that starts the MCP server. */
  readonly server: Program;
  /** The program for hooks. `hook` and the name of a hook follow as its next arguments. */
  readonly hook: Program;
}

/** The changes that a set-up of one host, or its removal, would make. */
export interface SetupPlan {
  readonly host: SetupHost;
  readonly scope: SetupScope;
  /** Files that change, without files that have all entries already. */
  readonly changes: readonly FileChange[];
  /** Files that hold all entries already. */
  readonly unchanged: readonly string[];
  /** Further facts and steps for the person. */
  readonly notes: readonly string[];
  readonly faults: readonly SetupFault[];
}

/** Plans the set-up of a host, and changes nothing. */
export function planSetup(host: SetupHost, options: SetupOptions, surroundings: Surroundings): SetupPlan {
  const definition = ALL_HOSTS[host];
  const scope = options.scope ?? "user";
  const parts = definition.parts(surroundings, scope, options);
  if (parts.length === 0)
    return planOf({ host, scope, notes: [`${definition.title} has no settings for one project: leave --scope out.`] });
  if (pluginIsOn(definition, surroundings)) return planOf({ host, scope, notes: [byPlugin(definition)] });
  const wanted = parts.filter(({ kind }) => options[kind] !== false);
  const planned = filesOf(wanted).map((file) =>
    planFile(
      file,
      wanted.filter((part) => part.file === file),
    ),
  );
  return planOf({ host, scope, notes: definition.notes(scope) }, planned);
}

/** The plan of a host from the plans of its files. */
export function planOf(about: Pick<SetupPlan, "host" | "scope" | "notes">, planned: readonly PlannedFile[] = []): SetupPlan {
  return {
    ...about,
    changes: planned.flatMap(({ change }) => change ?? []),
    unchanged: planned.flatMap(({ unchanged }) => unchanged ?? []),
    faults: planned.flatMap(({ fault }) => fault ?? []),
  };
}

export function filesOf(parts: readonly HostPart[]): readonly string[] {
  return [...new Set(parts.map(({ file }) => file))];
}

/** At most one member is present; none when there is nothing to report about the file. */
export interface PlannedFile {
  readonly change?: FileChange;
  readonly unchanged?: string;
  readonly fault?: SetupFault;
}

function planFile(file: string, parts: readonly HostPart[]): PlannedFile {
  return planOrFault(file, () => {
    const { target, text } = readHostFile(file);
    const after = parts.reduce<string | undefined>((changed, part) => part.add(changed), text);
    if (after === text) return { unchanged: file };
    const original = text === undefined ? undefined : withoutEntries(text, parts, undefined);
    const description = `${text === undefined ? "new file with" : "add or update"} ${parts.map(({ entries }) => entries).join("; ")}`;
    return { change: { file, target, before: text, after, original, parts: parts.map(({ kind }) => kind), description } };
  });
}

/** Removes our entries from a text. @param original the text before the set-up, if it is known. */
export function withoutEntries(text: string, parts: readonly HostPart[], original: string | undefined): string | undefined {
  return parts.reduce<string | undefined>((left, part) => (left === undefined ? undefined : part.remove(left, original)), text);
}

/** Turns an error into a fault of one file, so that the other files are still set up. */
export function planOrFault(file: string, plan: () => PlannedFile): PlannedFile {
  try {
    return plan();
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    return { fault: { file, message: error.message, hint: error.hint } };
  }
}

function byPlugin({ title }: HostDefinition): string {
  return `The plugin of Workrail is on in ${title} and provides the MCP server and the hooks: with a set-up too, every hook would run twice.`;
}

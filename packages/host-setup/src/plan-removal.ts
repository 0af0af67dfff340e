import type { HostPart } from "./host-part.ts";
import { ALL_HOSTS } from "./hosts/all-hosts.ts";
import { filesOf, planOrFault, type PlannedFile, planOf, type SetupOptions, type SetupPlan, withoutEntries } from "./plan-setup.ts";
import { readHostFile } from "./read-host-file.ts";
import type { SetupHost } from "./setup-hosts.ts";
import { digestOf, originalOf, type SetupRecords } from "./setup-records.ts";
import type { Surroundings } from "./surroundings.ts";

/** The scope and the entries to remove. Defaults as for a set-up. */
export type RemovalOptions = Pick<SetupOptions, "scope" | "mcp" | "hooks">;

/** A placeholder: a removal writes no entry, so it starts nothing. */
const NO_PROGRAM = { command: "", args: [] };

interface RemovalPorts {
  readonly surroundings: Surroundings;
  readonly records: SetupRecords;
}

/**
 * Plans the removal of a set-up, and changes nothing. A file that is as we left it gets its old text back;
 * a file that was edited since loses only our entries.
 */
export function planRemoval(host: SetupHost, options: RemovalOptions, { surroundings, records }: RemovalPorts): SetupPlan {
  const scope = options.scope ?? "user";
  const all = ALL_HOSTS[host].parts(surroundings, scope, { server: NO_PROGRAM, hook: NO_PROGRAM });
  const planned = filesOf(all).map((file) => {
    const inFile = all.filter((part) => part.file === file);
    return planFile(file, { all: inFile, parts: inFile.filter(({ kind }) => options[kind] !== false) }, records);
  });
  return planOf({ host, scope, notes: [] }, planned);
}

function planFile(
  file: string,
  { all, parts }: { readonly all: readonly HostPart[]; readonly parts: readonly HostPart[] },
  records: SetupRecords,
): PlannedFile {
  if (parts.length === 0) return {};
  return planOrFault(file, () => {
    const { target, text } = readHostFile(file);
    if (text === undefined) return { unchanged: file };
    const record = records.get(target);
    const isOurs = record !== undefined && record.digest === digestOf(text);
    const original = isOurs ? originalOf(record, text) : undefined;
    const isAsWeLeftIt = isOurs && parts.length === all.length;
    const after = isAsWeLeftIt ? original : leftOf(text, parts, { original, isNew: record?.undo === null });
    if (after === text) return { unchanged: file };
    const description = isAsWeLeftIt
      ? "back to what it was before the set-up"
      : `without ${parts.map(({ entries }) => entries).join("; ")}`;
    return { change: { file, target, before: text, after, original, parts: parts.map(({ kind }) => kind), description } };
  });
}

/** Removes a file that we created with its last entry, unless others wrote into it. */
function leftOf(
  text: string,
  parts: readonly HostPart[],
  { original, isNew }: { readonly original: string | undefined; readonly isNew: boolean },
): string | undefined {
  const left = withoutEntries(text, parts, original);
  return left !== undefined && isNew && parts.every((part) => part.isLeftOver(left)) ? undefined : left;
}

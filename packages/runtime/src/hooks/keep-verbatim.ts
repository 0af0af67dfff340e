import type { WorkNotes } from "@workrail/views/work-notes";

const MOST = { prohibitions: 8, files: 12, commands: 6 } as const;
const MOST_CHARACTERS = 2_000;

/** Instructions for a host's summariser: paths, commands and prohibitions that it must not paraphrase. Empty when there are none. */
export function keepVerbatim({ prohibitions, files, commands }: WorkNotes): string {
  const worked = files
    .filter(({ isSeen }) => isSeen !== true)
    .slice(-MOST.files)
    .map(({ path }) => path);
  const ran = commands
    .toSorted((left, right) => left.runs - right.runs)
    .slice(-MOST.commands)
    .map(({ command }) => command);
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["Prohibitions", prohibitions.slice(-MOST.prohibitions)],
    ["Files", worked.toReversed()],
    ["Commands", ran.toReversed()],
  ];
  const told = lists
    .filter(([, items]) => items.length > 0)
    .map(([name, items]) => `${name}: ${items.map((item) => JSON.stringify(item)).join("; ")}`);
  if (told.length === 0) return "";
  return `Keep these verbatim in the summary.\n${told.join("\n")}`.slice(0, MOST_CHARACTERS);
}

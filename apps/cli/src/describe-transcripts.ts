import type { LeftOutOfImport } from "@workrail/runtime";
import type { TranscriptImport, TranscriptImports } from "./import-transcripts.ts";

const LEFT_OUT_AS: Readonly<Record<LeftOutOfImport, string>> = {
  subagent: "of sub-agents",
  "other-project": "of other projects",
  older: "older",
  erased: "erased",
  empty: "without work",
};

/** Describes imported transcripts: one line for each with new data, and one for all. */
export function describeTranscripts({ imports, leftOut }: TranscriptImports): readonly string[] {
  const byFile = new Map<string, TranscriptImport[]>();
  for (const each of imports) byFile.set(each.file, [...(byFile.get(each.file) ?? []), each]);
  const added = [...byFile.values()].filter((sessions) => sessions.some((each) => each.added > 0));
  const out = Object.entries(LEFT_OUT_AS).flatMap(([why, name]) => {
    const count = leftOut[why as LeftOutOfImport];
    return count === 0 ? [] : [`${count} ${name}`];
  });
  const all = `Transcripts: ${byFile.size}, new or changed: ${added.length}${out.length === 0 ? "" : `; left out: ${out.join(", ")}`}.`;
  return [...added.flatMap(describeTranscript), all];
}

/** The session with the state of the work comes first. */
function describeTranscript(sessions: readonly TranscriptImport[]): readonly string[] {
  const [work] = sessions;
  if (work === undefined) return [];
  const { sessionId, name, project, lastAt, dryRun } = work;
  const about = [lastAt.slice(0, 10), ...(project === undefined ? [] : [project]), ...(name === undefined ? [] : [`(${name})`])].join(" ");
  const added = sessions.reduce((sum, each) => sum + each.added, 0);
  return [`${about}: session ${sessionId}, checkpoints: ${dryRun ? "to add" : "added"} ${added}.`];
}

import type { TranscriptFacts } from "./host-transcript.ts";
import { textOf, timeOf } from "./json-record.ts";

/** Collects facts of a session from its lines: the first time and directory, and the last value of everything else. */
export interface FactsCollector {
  /** Values of other types than text are ignored. */
  add(
    found: { readonly [Name in Exclude<keyof TranscriptFacts, "isSubagent" | "startedAt" | "lastAt">]?: unknown } & {
      readonly at?: unknown;
    },
  ): void;
  facts(isSubagent: boolean): TranscriptFacts;
}

export function collectFacts(): FactsCollector {
  const facts: { -readonly [Name in keyof TranscriptFacts]: TranscriptFacts[Name] } = {};
  return {
    add(found) {
      facts.sessionId ??= textOf(found.sessionId);
      facts.cwd ??= textOf(found.cwd);
      facts.branch = textOf(found.branch) ?? facts.branch;
      facts.title = textOf(found.title) ?? facts.title;
      const at = timeOf(found.at);
      if (at === undefined) return;
      facts.startedAt ??= at;
      facts.lastAt = at;
    },
    facts(isSubagent) {
      const known = Object.entries(facts).filter(([, value]) => value !== undefined);
      return { ...Object.fromEntries(known), ...(isSubagent ? { isSubagent } : {}) };
    },
  };
}

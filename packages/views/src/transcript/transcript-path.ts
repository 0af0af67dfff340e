import { CONVERSATION_LIMITS } from "./conversation-limits.ts";
import { fileTopic } from "./topic.ts";

/** Path of a transcript below the root of its project. */
export interface TranscriptPath {
  /** Folders from the root downwards. */
  readonly folders: readonly string[];
  /** File names to try, in order. */
  readonly names: Iterable<string>;
}

/** Returns `.codearchitect/sessions/2025-01-15/session-20250115-143022-topic.md`, in UTC; if it is taken, `...-topic-1.md` and so on. */
export function transcriptPath(topic: string, date: Date): TranscriptPath {
  const time = date.toISOString();
  const day = time.slice(0, time.indexOf("T"));
  const stamp = time.replaceAll(/[-:]/gu, "").replace("T", "-").replace(/\..*$/u, "");
  const stem = `session-${stamp}-${fileTopic(topic)}`;
  return { folders: [".codearchitect", "sessions", day], names: { [Symbol.iterator]: () => namesOf(stem) } };
}

function* namesOf(stem: string): Generator<string> {
  yield `${stem}.md`;
  for (let counter = 1; counter <= CONVERSATION_LIMITS.nameAttempts; counter++) yield `${stem}-${counter}.md`;
}

import type { TranscriptEvent } from "@workrail/core";
import type { BeginReader, ReadEvents } from "../src/transcript-reader.ts";

/** Reads records, each as a line, from the beginning of a transcript. */
export function readRecords(begin: BeginReader, records: readonly unknown[], file: string = "transcript.jsonl"): ReadEvents {
  const reader = begin(file, undefined);
  for (const record of records) reader.accept(Buffer.from(typeof record === "string" ? record : JSON.stringify(record)));
  return reader.finish();
}

/** Events in one word each and their text. */
export function told(events: readonly TranscriptEvent[]): readonly string[] {
  return events.map((event) =>
    "text" in event ? `${event.kind}: ${event.text}` : event.kind === "call" ? `call: ${event.tool}` : event.kind,
  );
}

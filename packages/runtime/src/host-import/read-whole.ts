import type { JsonObject } from "@workrail/core";
import { continuedNotes, NO_NOTES, noteEvents, type WorkNotes } from "@workrail/views/work-notes";
import { type FoundTranscript, readTranscript, type TranscriptPosition } from "@workrail/host-transcripts";
import { messagesOf } from "../hooks/conversation-messages.ts";
import type { HookSettings } from "../hooks/hook-settings.ts";
import { withoutSecrets } from "../hooks/without-secrets.ts";

/** Bytes. A larger transcript is read in pieces, and turns that the person left stay in it. */
const LARGEST_WHOLE_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 8 * 1024 * 1024;

/** A piece of a transcript with secrets redacted. */
export interface ReadPiece {
  /** Notes of everything that was read so far. */
  readonly notes: WorkNotes;
  /** Messages that the piece adds. */
  readonly items: readonly JsonObject[];
  readonly position: TranscriptPosition;
  /** True when the file was rewritten meanwhile: discard the earlier pieces. */
  readonly restarted: boolean;
}

/**
 * Reads a transcript to its end, as hooks do. Yields nothing for a missing file.
 *
 * @param earlier reads the notes of the session that this one continues.
 * @throws as `readTranscript` does.
 */
export async function* readWhole(
  { host, file, sizeBytes }: FoundTranscript,
  settings: HookSettings,
  earlier: () => WorkNotes | undefined,
): AsyncGenerator<ReadPiece, void, undefined> {
  const maxBytes = sizeBytes > LARGEST_WHOLE_BYTES ? PIECE_BYTES : undefined;
  let notes = NO_NOTES;
  let position: TranscriptPosition | undefined;
  for (let isPartial = true; isPartial;) {
    const part = await readTranscript(host, file, { from: position, maxBytes });
    if (part === undefined) return;
    const restarted = part.restarted && position !== undefined;
    // Redacted first, because notes cut texts, and half a secret is not recognised.
    const events = await withoutSecrets(part.events, settings);
    notes = noteEvents(continuedNotes(restarted ? NO_NOTES : notes, events, earlier), events);
    const items = messagesOf(events);
    ({ position, isPartial } = part);
    yield { notes, items, position, restarted };
  }
}

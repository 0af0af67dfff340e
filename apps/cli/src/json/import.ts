import { IMPORT_FILE_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { TranscriptImport, TranscriptImports } from "../import-transcripts.ts";

const count = (meaning: string) => z.int().min(0).describe(meaning);
const time = (meaning: string) => z.iso.datetime({ precision: 3 }).optional().describe(meaning);

const { file, ...ofFile } = IMPORT_FILE_RESULT.shape;

const imported = z.strictObject({
  file,
  name: z.string().optional().describe("of a source: the session's name in the other program"),
  project: z.string().optional().describe("of a transcript: the project of its session"),
  startedAt: time("of a transcript: time of its first event"),
  lastAt: time("of a transcript: time of its last event"),
  ...ofFile,
} satisfies Record<keyof TranscriptImport, z.ZodType>);

const leftOut = z.strictObject({
  subagent: count("of sub-agents"),
  "other-project": count("of other projects than `--project`"),
  older: count("older than `--since`"),
  empty: count("without a prompt"),
  erased: count("of erased sessions"),
} satisfies Record<keyof TranscriptImports["leftOut"], z.ZodType>);

/** Output of `workrail import`. */
export const IMPORT = z.strictObject({
  imports: z
    .array(imported)
    .describe("one per file; of a source, one per session; of a transcript, one for its work and one for its conversation"),
  skipped: z
    .array(
      z.strictObject({
        place: z.string().describe("the file with the line, the row, the session"),
        reason: z.string().describe("the reason"),
      }),
    )
    .optional()
    .describe("only of a source: items that were not imported"),
  leftOut: leftOut.optional().describe("only of transcripts: how many were left out"),
});

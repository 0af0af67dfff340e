export type { HookEvent, HookHost, HookPayload } from "./hook-payload.ts";
export { HOOK_HOSTS } from "./hook-payload.ts";
export { TRANSCRIPT_HOSTS } from "./host-transcript.ts";
export type { FoundTranscript, TranscriptFacts, TranscriptHost, TranscriptPart, TranscriptPosition } from "./host-transcript.ts";
export { parsePayload } from "./parse-payload.ts";
export { readTranscript } from "./read-transcript.ts";
export type { ReadTranscriptOptions } from "./read-transcript.ts";

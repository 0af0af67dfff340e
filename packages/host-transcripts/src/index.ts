export { TRANSCRIPT_HOSTS } from "./host-transcript.ts";
export type { FoundTranscript, TranscriptFacts, TranscriptHost, TranscriptPart, TranscriptPosition } from "./host-transcript.ts";

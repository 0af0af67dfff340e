export { FileTranscripts } from "./file-transcripts.ts";
export type { FileTranscriptsOptions } from "./file-transcripts.ts";
export { findProjectRoot } from "./project-root.ts";

export { httpEmbedder } from "./http-embedder.ts";
export type { HttpEmbedderOptions } from "./http-embedder.ts";
export type { EmbedderKind } from "./spoken.ts";

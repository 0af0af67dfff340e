import type { Checkpoint, CheckpointMetadata, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type Context, isJsonObject } from "@workrail/core";
import { jsonOf } from "./json-of.ts";
import { serialised } from "./serialised.ts";

/** Content of the context under which a checkpoint is kept. */
export interface StoredCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
}

/** The context of a checkpoint whose serialiser writes another format than a JSON object. */
type OtherFormat = { readonly type: string; readonly base64: string };

/**
 * Writes a checkpoint as a context. JSON stays JSON, so that the store sees what changed between checkpoints.
 *
 * @param isOwn the serialiser is LangGraph's own.
 */
export async function toContext(serde: SerializerProtocol, isOwn: boolean, stored: StoredCheckpoint): Promise<Context> {
  const writing = isOwn ? jsonOf(serde, stored) : undefined;
  const json = writing && (await writing);
  if (json !== undefined) return json as Context;
  const { type, data, json: written } = await serialised(serde, stored);
  if (isJsonObject(written) && !("type" in written)) return written;
  return { type, base64: toBase64(data) } satisfies OtherFormat;
}

export async function fromContextText(serde: SerializerProtocol, text: string): Promise<StoredCheckpoint> {
  if (!text.startsWith(OTHER)) return serde.loadsTyped("json", text) as Promise<StoredCheckpoint>;
  const { type, base64 } = JSON.parse(text) as OtherFormat;
  return serde.loadsTyped(type, fromBase64(base64)) as Promise<StoredCheckpoint>;
}

const OTHER = `{"type":`;

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Returns plain bytes: a `Buffer` would not equal what was saved. */
export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}

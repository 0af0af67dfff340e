import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { serialised } from "./serialised.ts";
import { fromBase64, toBase64 } from "./stored-checkpoint.ts";

/**
 * A serialised value inside a context. JSON is kept as JSON, so that the store sees what changed between checkpoints; the bytes of any
 * other format are kept as text.
 */
export type TypedValue = { readonly json: unknown } | { readonly type: string; readonly base64: string };

export async function toTypedValue(serde: SerializerProtocol, value: unknown): Promise<TypedValue> {
  const { type, data, json } = await serialised(serde, value);
  return json === undefined ? { type, base64: toBase64(data) } : { json };
}

export async function fromTypedValue(serde: SerializerProtocol, value: TypedValue): Promise<unknown> {
  if ("json" in value) return serde.loadsTyped("json", JSON.stringify(value.json)) as Promise<unknown>;
  return serde.loadsTyped(value.type, fromBase64(value.base64)) as Promise<unknown>;
}

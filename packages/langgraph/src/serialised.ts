import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type JsonValue, parseJson, WorkrailError } from "@workrail/core";

/** Bytes that a serialiser wrote, with its name for their format. */
export interface Serialised {
  readonly type: string;
  readonly data: Uint8Array;
  /** The value of JSON that gives the same bytes when it is written again; `undefined` for other bytes. */
  readonly json: JsonValue | undefined;
}

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** LangGraph's serialiser writes this in place of a value that JSON cannot hold. */
const UNWRITTEN = "[unable to serialize, circular reference is too complex to analyze]";

/**
 * Serialises a value.
 *
 * @throws INVALID_INPUT for a value that LangGraph's serialiser would replace by a text, such as one with a BigInt.
 */
export async function serialised(serde: SerializerProtocol, value: unknown): Promise<Serialised> {
  const [type, data] = await serde.dumpsTyped(value);
  const json = type === "json" ? exactJson(data) : undefined;
  if (json !== UNWRITTEN || value === UNWRITTEN) return { type, data, json };
  throw new WorkrailError("INVALID_INPUT", "LangGraph's serialiser cannot write the value, because JSON cannot hold it.", {
    hint: "Convert each BigInt to a string.",
  });
}

/**
 * `undefined` for texts with other spaces, with numbers that JavaScript rounds, and for bytes that are no JSON: a serialiser may encrypt what
 * it calls JSON.
 */
function exactJson(data: Uint8Array): JsonValue | undefined {
  try {
    const text = DECODER.decode(data);
    const json = parseJson(text);
    return JSON.stringify(json) === text ? json : undefined;
  } catch {
    return undefined;
  }
}

import type { Workrail } from "@workrail/runtime";
import type { ModelMessage } from "ai";
import { type Json, messagesToJson } from "./message-json.ts";

/** Counts the tokens of a message. */
export type TokensOfMessage = (message: ModelMessage) => number | Promise<number>;

/** Tokens that a file counts as: about an image of 1,000 by 1,000 pixels, or a page of a document. */
const FILE_TOKENS = 1_500;
/** Types of parts that hold a file. Elsewhere base64 is text, of a tool or a signature. */
const FILE_TYPES: readonly unknown[] = ["file", "image", "reasoning-file", "file-data", "image-data", "file-url", "image-url", "media"];
/** Characters from which a text of such a part counts as a file. */
const LEAST_FILE = 400;
const BASE64 = /^(?:data:[^,]{0,200};base64,)?[\w+/-]+={0,2}$/u;

/** Messages are counted once, because a run asks for most of them with each step. */
const counted = new WeakMap<Workrail, WeakMap<ModelMessage, Promise<number>>>();

/** Returns the counter of a store's tokenizer. A file counts as `FILE_TOKENS`, whatever its size. */
export function tokensOfMessage(store: Workrail): TokensOfMessage {
  const known = counted.get(store) ?? new WeakMap<ModelMessage, Promise<number>>();
  counted.set(store, known);
  return (message) => {
    const tokens = known.get(message) ?? count(store, message);
    known.set(message, tokens);
    return tokens;
  };
}

/** Returns the tokens of each message. */
export function sizesOf(messages: readonly ModelMessage[], tokensOf: TokensOfMessage): Promise<number[]> {
  return Promise.all(messages.map(async (message) => tokensOf(message)));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

async function count(store: Workrail, message: ModelMessage): Promise<number> {
  let files = 0;
  const withoutFiles = (json: Json, isFile: boolean): Json => {
    if (typeof json === "string") {
      if (!isFile || json.length < LEAST_FILE || !BASE64.test(json)) return json;
      files += 1;
      return "";
    }
    if (typeof json !== "object" || json === null) return json;
    if (Array.isArray(json)) return json.map((item) => withoutFiles(item, isFile));
    const isWithin = isFile || FILE_TYPES.includes(json["type"]);
    return Object.fromEntries(Object.entries(json).map(([key, member]) => [key, withoutFiles(member, isWithin)]));
  };
  const json = messagesToJson([message]).map((each) => withoutFiles(each, false));
  return (await store.tokensOf(json)) + files * FILE_TOKENS;
}

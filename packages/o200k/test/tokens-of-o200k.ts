import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Returns the tokens of the encoding in the order of their ranks, from the file that OpenAI publishes. */
export function tokensOfO200k(): readonly Uint8Array[] {
  const file = createRequire(import.meta.url).resolve("gpt-tokenizer/data/o200k_base.tiktoken");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line, at) => {
    const [bytes = "", rank] = line.split(" ");
    if (Number(rank) !== at) throw new Error(`Line ${at} has rank ${rank}.`);
    return Uint8Array.from(Buffer.from(bytes, "base64"));
  });
}

import { expect, it } from "vitest";
import { JsonScanner } from "./json-scanner.ts";

const LIMITS = { maxLength: 1_000, maxDepth: 10 };
const SIGNS = ['"', "\\", "{", "]", ",", "\n"];

async function* chunksOf(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

it("a scanner finds the ends of strings, whatever is escaped in them, in chunks of any size", async () => {
  const texts = ["", ...SIGNS, ...SIGNS.flatMap((first) => SIGNS.flatMap((second) => SIGNS.map((third) => first + second + third)))];
  for (const text of texts) {
    const [alone, inside] = [JSON.stringify(text), JSON.stringify([{ [text]: [text] }, text], null, 1)];
    for (let length = 1; length < 6; length++) {
      const scanner = new JsonScanner(chunksOf(`${alone},${inside}\n:`, length));
      expect(await scanner.value(LIMITS)).toBe(alone);
      expect(await scanner.take(",")).toBe(true);
      expect(await scanner.value(LIMITS)).toBe(inside);
      expect(await scanner.peek()).toBe(":");
      expect(scanner.line).toBe(inside.split("\n").length + 1);
    }
  }
});

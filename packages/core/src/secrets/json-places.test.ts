import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FindSecrets } from "../ports/secret-scanner.ts";
import { type JsonPlace, JsonPlaces, writtenPath } from "./json-places.ts";

const PLANTED = /ghp_\w{36}|-----BEGIN PRIVATE KEY-----[^]*?-----END PRIVATE KEY-----/gu;

/** Finds tokens of GitHub and private keys. */
const findPlanted: FindSecrets = (text) =>
  [...text.matchAll(PLANTED)].map(({ index: start, 0: secret }) => ({
    ...(secret.startsWith("ghp_")
      ? ({ rule: "github-token", kind: "TOKEN" } as const)
      : ({ rule: "private-key", kind: "PRIVATE_KEY" } as const)),
    start,
    end: start + secret.length,
  }));

/** Yields every text of a value with its path, by walking the value. */
function* texts(value: unknown, path: readonly (string | number)[] = []): Generator<readonly [readonly (string | number)[], string]> {
  if (typeof value === "string") yield [path, value];
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* texts(item, [...path, index]);
  else if (typeof value === "object" && value !== null) for (const [key, each] of Object.entries(value)) yield* texts(each, [...path, key]);
}

function placesIn(text: string, offsets: readonly number[], size: number): JsonPlace[] {
  const places = new JsonPlaces();
  const found: JsonPlace[] = [];
  for (let from = 0; from < text.length; from += size) {
    const here = offsets.filter((offset) => offset >= from && offset < from + size);
    found.push(...places.next(text.slice(from, from + size), here));
  }
  return found;
}

describe("JsonPlaces", () => {
  it("locates every text in any JSON, for any part size", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, size) => {
        let count = 0;
        // Marks each text, so that it can be located in the JSON text.
        const marked = JSON.parse(
          JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? `\u00A7${count++}\u00A7${each}` : each)),
        ) as unknown;
        const text = JSON.stringify(marked);
        const expected = [...texts(marked)].map(([path, each]) => {
          return {
            path,
            at: text.indexOf(
              JSON.stringify(each)
                .slice(1, -1)
                .slice(0, each.indexOf("\u00A7", 1) + 1),
            ),
          };
        });
        expected.sort((left, right) => left.at - right.at);
        fc.pre(expected.every(({ at }, index) => index === 0 || at > (expected[index - 1]?.at ?? 0)));
        const found = placesIn(
          text,
          expected.map(({ at }) => at),
          size,
        );
        expect(found).toEqual(expected.map(({ path }) => ({ path, within: "text" })));
      }),
    );
  });

  it("distinguishes keys, texts and numbers", () => {
    const text = '{"a":{"b\\"c":[1,{"d":"e"},23]}}';
    const at = (piece: string): number => text.indexOf(piece);
    expect(placesIn(text, [at("b"), at("d"), at("e"), at("23")], 7)).toEqual([
      { path: ["a", ""], within: "key" },
      { path: ["a", 'b"c', 1, ""], within: "key" },
      { path: ["a", 'b"c', 1, "d"], within: "text" },
      { path: ["a", 'b"c', 2], within: "literal" },
    ]);
  });
});

describe("a written path", () => {
  it("looks like code, and is shortened when it is long", () => {
    expect(writtenPath({ path: ["a", 2, 'b"c'], within: "text" }, findPlanted, "context")).toBe(String.raw`context["a"][2]["b\"c"]`);
    expect(writtenPath({ path: ["tags", 0], within: "text" }, findPlanted)).toBe("tags[0]");
    expect(writtenPath({ path: ["a", "x"], within: "key" }, findPlanted, "context")).toBe('context["a"][a key]');
    const long = writtenPath({ path: Array.from({ length: 100 }, () => "k".repeat(100)), within: "text" }, findPlanted, "context");
    expect(long.length).toBeLessThan(130);
  });

  it("does not reveal a secret in one of its keys", () => {
    const secret = `ghp_${"aB3dE5fG7h".repeat(4).slice(0, 36)}`;
    expect(writtenPath({ path: [`it is ${secret}`, 0], within: "text" }, findPlanted, "context")).toBe('context["it is [TOKEN_1]"][0]');
  });
});

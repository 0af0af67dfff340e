import { describe, expect, it } from "vitest";
import { onDisk } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** Characters. At this size, quadratic time is far longer than all other work. */
const SIZE = IS_LONG ? 500_000 : 200_000;
/** Quadratic time exceeds this if one of its steps takes half a nanosecond. */
const LONGEST_MS = IS_LONG ? 60_000 : 20_000;

function filled(piece: string): string {
  return piece.repeat(Math.ceil(SIZE / piece.length));
}

function listed<T>(member: T, characters: number): T[] {
  return Array.from({ length: SIZE / characters }, () => member);
}

/** Contexts that people and programs do save, and that patterns and queries then scan repeatedly. */
const CONTEXTS: readonly (readonly [string, object])[] = [
  ["a word in one line", { log: filled("lighthouse ") }],
  ["a word without a space", { log: filled("lighthouse") }],
  ["the same sentence", { log: filled("The lighthouse is red. ") }],
  ["a sentence without an end", { log: filled("The lighthouse is red and the sea is blue and ") }],
  ["letters without spaces", { log: `${filled("東京都に行く人")} lighthouse` }],
  ["dots", { log: `${filled(".")} lighthouse` }],
  ["signs at the end of nothing", { log: `${filled("!")}\0! lighthouse` }],
  ["signs of which no word begins", { log: `${filled("#")}'0 lighthouse` }],
  ["tags that are not closed", { log: `${filled("<a----")} lighthouse` }],
  ["quotes within quotes", { log: `${filled('\\"')} lighthouse` }],
  ["hexadecimal digits", { log: `${filled("0123456789abcdef")} lighthouse` }],
  ["the same object", { rows: listed({ id: 1, name: "a lighthouse" }, 30) }],
  ["nothing", { rows: listed(null, 20), about: "lighthouse" }],
];

describe("a context that is full of", () => {
  it.each(CONTEXTS)("%s is saved, found, shown and condensed in acceptable time", { timeout: LONGEST_MS }, (_, context) =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "a", context });
      const { hits } = await workrail.searchCheckpoints({ query: "red lighthouses" });
      expect(hits.map(({ checkpoint }) => checkpoint.id)).toEqual([checkpointId]);
      const budgetTokens = 3_000;
      await workrail.viewCheckpoint({ sessionId: "a", budgetTokens, focus: "lighthouse" });
      await workrail.compressContext({ sessionId: "a", budgetTokens });
      await workrail.prioritizeContext({ sessionId: "a", dryRun: true });
      await workrail.handoff({ sessionId: "a" });
      expect((await workrail.loadCheckpoint({ checkpointId })).context).toEqual(context);
    }),
  );
});

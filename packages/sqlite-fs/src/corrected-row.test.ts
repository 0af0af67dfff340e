import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { correctedRow } from "./corrected-row.ts";
import { CHECKPOINT_COLUMNS, summed, type Unsummed } from "./row-checksum.ts";
import type { CheckpointRow } from "./schema.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

const UNSUMMED: Unsummed<CheckpointRow> = {
  ordinal: 4_711,
  id: "0192f3c1-6d2f-7cc3-98c4-dc0c0c07398f",
  session_id: "a-session",
  sequence: 17,
  parent_id: null,
  kind: "workflow",
  created_at: 1_795_000_000_123,
  last_accessed_at: 1_795_000_456_789,
  agent_id: null,
  workflow_id: "coding",
  project: "/home/someone/a project",
  name: "größer als 10 日本語",
  tags: '["one","two"]',
  attributes: '{"phase":"x"}',
  exact_digest: "sha256:0123456789abcdef",
  canonical_digest: "sha256:fedcba9876543210",
  context_bytes: 0,
  layers: null,
  writer: "workrail/1",
  blob: "a-session/0192f3c1-6d2f-7cc3-98c4-dc0c0c07398f.json.gz",
  blob_bytes: 12_345,
  base_id: null,
  key_id: null,
  damaged: 0,
  folded: "größer",
  folded_name: null,
  shielded_until: null,
};
const ROW: CheckpointRow = summed(UNSUMMED, CHECKPOINT_COLUMNS);

const TEXTS = CHECKPOINT_COLUMNS.filter((column) => typeof ROW[column] === "string");
const INTEGERS = [...CHECKPOINT_COLUMNS, "checksum" as const].filter((column) => typeof ROW[column] === "number");

describe("a row with one flipped bit", () => {
  it("is corrected when the bit is in a text", () => {
    const flip = fc.record({ column: fc.constantFrom(...TEXTS), at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) });
    fc.assert(
      fc.property(flip, ({ column, at, bit }) => {
        const bytes = Buffer.from(ROW[column] as string);
        const place = at % bytes.length;
        const byte = bytes[place] as number;
        bytes[place] = byte ^ (1 << bit);
        const was = correctedRow({ ...ROW, [column]: bytes.toString() }, CHECKPOINT_COLUMNS);
        // A bit in a multi-byte character can be corrected only when the result is a character of as many bytes.
        expect(byte < 0x80 ? [ROW] : [ROW, undefined]).toContainEqual(was);
      }),
      { numRuns: 300 },
    );
  });

  it.each(INTEGERS)("is corrected when the bit is in %s", (column) => {
    const bits = column === "checksum" ? 32 : 48;
    for (let bit = 0; bit < bits; bit++) {
      const read = Number(BigInt.asIntN(48, BigInt(ROW[column] as number) ^ (1n << BigInt(bit))));
      expect(correctedRow({ ...ROW, [column]: read }, CHECKPOINT_COLUMNS)).toEqual(ROW);
    }
  });

  it("is corrected when the bit makes a small integer negative", () => {
    expect(correctedRow({ ...ROW, sequence: 17 - 128 }, CHECKPOINT_COLUMNS)).toEqual(ROW);
  });
});

describe("a row that is damaged in another way", () => {
  it("is not corrected", () => {
    const text = fc.record({ column: fc.constantFrom(...TEXTS), value: fc.string({ unit: anyCharacter, maxLength: 60 }) });
    const two = fc.uniqueArray(text, { minLength: 2, maxLength: 4, selector: ({ column }) => column });
    fc.assert(
      fc.property(two, (changes) => {
        const read = Object.assign({ ...ROW }, ...changes.map(({ column, value }) => ({ [column]: value })));
        expect(correctedRow(read, CHECKPOINT_COLUMNS)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["has bytes in the place of a text", { name: Buffer.from("x") }],
    ["has nothing in the place of a text", { name: null }],
    ["has a number in the place of a text", { name: 1 }],
    ["lacks a column", { name: undefined }],
  ])("is not corrected when it %s", (_, change) => {
    expect(correctedRow({ ...ROW, ...change } as CheckpointRow, CHECKPOINT_COLUMNS)).toBeUndefined();
  });
});

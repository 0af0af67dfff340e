import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { KINDS } from "./stores.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

/** `npm run test:faults` runs many more. */
const RUNS = Number(process.env["WORKRAIL_RUNS"] ?? 80);

/** Ordinary texts and unexpected ones: lone surrogates, control characters, JSON syntax. */
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: anyCharacter }),
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 8 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom("", "\0", "\u2028\u2029", '"', "\\", "\ufeff", "\ud800", "\udfff\ud800", "</script>", "x".repeat(20_000)),
);

const key = fc.oneof(
  text,
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "toJSON",
    "length",
    "0",
    "10",
    "2",
    "-1",
    "a/b",
    "a~b",
    "a.b",
    "$ref",
  ),
);

const number = fc.oneof(
  fc.integer(),
  // JSON has no -0: the only number known not to be restored.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308, 1e21, 1e-7),
);

const { value } = fc.letrec<{ value: unknown; object: object; list: unknown[] }>((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, text, number, fc.boolean(), fc.constant(null), tie("object"), tie("list")),
  object: objectOf(tie("value")),
  list: fc.array(tie("value"), { maxLength: 6 }),
}));

const wide = fc
  .integer({ min: 500, max: 2_000 })
  .map((width) => Object.fromEntries(Array.from({ length: width }, (_, index) => [`key ${index}`, index])));
const deep = fc.integer({ min: 20, max: 120 }).map(nested);
const context = fc.oneof({ weight: 20, arbitrary: objectOf(value) }, { weight: 1, arbitrary: wide }, { weight: 1, arbitrary: deep });

describe.each(KINDS)("saved contexts in $kind", { timeout: 300_000 + RUNS * 200 }, (kind) => {
  it(`comes back exactly, key order included, for ${RUNS} contexts, and again when the catalog was lost`, () =>
    kind.at(async (place) => {
      const saved: { readonly checkpointId: string; readonly json: string }[] = [];
      const workrail = await place.open({ limits: { maxCheckpoints: RUNS * 100 } });
      await fc.assert(
        fc.asyncProperty(context, fc.integer({ min: 0, max: 20 }), async (given, session) => {
          const json = JSON.stringify(given);
          const { checkpointId } = await workrail.saveCheckpoint({ sessionId: `session-${session}`, context: given, force: true });
          expect(await restored(workrail, checkpointId)).toBe(json);
          saved.push({ checkpointId, json });
        }),
        { numRuns: RUNS },
      );
      const heads = await headsOf(workrail);
      await workrail.close();

      const again = await place.open();
      expect(await wrongOf(saved, again)).toEqual([]);
      await again.close();

      place.loseCatalog();
      await using rebuilt = await place.open();
      expect(await wrongOf(saved, rebuilt)).toEqual([]);
      expect(await headsOf(rebuilt)).toEqual(heads);
    }));
});

async function restored(workrail: Workrail, checkpointId: string): Promise<string> {
  return JSON.stringify((await workrail.loadCheckpoint({ checkpointId })).context);
}

async function wrongOf(
  saved: readonly { readonly checkpointId: string; readonly json: string }[],
  workrail: Workrail,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { checkpointId, json } of saved) if ((await restored(workrail, checkpointId)) !== json) wrong.push(json);
  return wrong;
}

/** Returns the latest checkpoint of each session. */
async function headsOf(workrail: Workrail): Promise<readonly string[]> {
  const heads: string[] = [];
  for (let session = 0; session <= 20; session++) {
    const [head] = await workrail.listCheckpoints({ sessionId: `session-${session}`, limit: 1 });
    if (head !== undefined) heads.push(`${session} ${head.sequence} ${head.id}`);
  }
  return heads;
}

/** Built member by member, so that `__proto__` is an ordinary key, in random order. */
function objectOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc.array(fc.tuple(key, values), { maxLength: 6 }).map((members) => Object.fromEntries(members));
}

function nested(levels: number): object {
  let value: unknown = "at the bottom";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { value } : [value];
  return { value };
}

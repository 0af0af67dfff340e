import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CompressContextParams } from "../src/context-management-service.ts";
import type { Workrail } from "../src/workrail.ts";
import { foreseeable, KINDS } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** Runs in memory, and on the disk, where each takes longer. Both have saved contexts and others. */
const [RUNS, RUNS_ON_DISK] = IS_LONG ? [6, 6] : [4, 2];
/** Small, so that pruning and partial answers start early. */
const OPTIONS = { limits: { maxCheckpoints: 2 }, env: { WORKRAIL_MAX_ANSWER_TOKENS: "1000" } };
const BUDGET_TOKENS = 700;

type Path = readonly (string | number)[];

/** Texts too long for an answer, without repeated parts, with surrogate pairs at odd and even offsets. */
const longText = fc
  .tuple(fc.constantFrom("", "é", "a"), fc.constantFrom("order", "注文", "😀", "\ud800"), fc.integer({ min: 400, max: 900 }))
  .map(([first, word, count]) => first + Array.from({ length: count }, (_, at) => `${word} ${at * 7};`).join(""));
const list = fc
  .tuple(longText, fc.integer({ min: 3, max: 40 }))
  .map(([text, parts]) => Array.from({ length: parts }, (_, at) => text.slice(at * 90, (at + 1) * 90)));
const long = fc.oneof(longText, list, fc.dictionary(fc.string({ minLength: 1, maxLength: 9 }), longText, { minKeys: 2, maxKeys: 3 }));
const key = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("notes", "goal", "debugLog", "a.b", "12", "__proto__", ""));
const contexts: fc.Arbitrary<Record<string, unknown>> = fc
  .array(fc.tuple(key, fc.oneof(long, fc.jsonValue({ maxDepth: 2 }).map(written))), { minLength: 1, maxLength: 4 })
  .map((members) => Object.fromEntries(members))
  // At least one entry that does not fit.
  .chain((context) => longText.map((log) => ({ ...context, log })));

describe.each(KINDS)("handles of a store in $kind", ({ kind, at }) => {
  it("return every entry that was not whole, by key and in parts by range, after later saves, pruning and a restart", () =>
    fc.assert(
      fc.asyncProperty(contexts, fc.boolean(), (context, isSaved) =>
        at(async (place) => {
          // One clock for both stores, since handles expire.
          const options = { ...OPTIONS, adapters: { clock: foreseeable().clock } };
          const { checkpointId, changed } = await shorten(() => place.open(options), context, isSaved);
          expect(changed).toContain("log");
          await using workrail = await place.open(options);
          for (const name of changed) {
            const fetched = await fetchParts(workrail, checkpointId, [name]);
            expect(JSON.stringify(fetched)).toBe(JSON.stringify(context[name]));
          }
          const whole = await workrail.viewCheckpoint({ checkpointId, keys: changed, full: true });
          expect(JSON.stringify(whole.context)).toBe(JSON.stringify(Object.fromEntries(changed.map((name) => [name, context[name]]))));
        }),
      ),
      { numRuns: kind === "memory" ? RUNS : RUNS_ON_DISK },
    ));
});

/** Shortens a context, then saves enough more that unprotected checkpoints are pruned. */
async function shorten(open: () => Promise<Workrail>, context: Record<string, unknown>, isSaved: boolean) {
  await using workrail = await open();
  const sessionId = "session";
  if (isSaved) await workrail.saveCheckpoint({ sessionId, context });
  const { checkpointId, changed } = await compress(workrail, isSaved ? { sessionId } : { sessionId, context });
  const unheld = await workrail.saveCheckpoint({ sessionId, context: { ...context, step: -1 } });
  for (let step = 0; step < 4; step += 1) await workrail.saveCheckpoint({ sessionId, context: { ...context, step } });
  await expect(workrail.loadCheckpoint({ checkpointId: unheld.checkpointId })).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
  return { checkpointId, changed };
}

/** Returns the names of all shortened entries, following the cursor over several answers. */
async function compress(workrail: Workrail, given: CompressContextParams) {
  const call = { ...given, budgetTokens: BUDGET_TOKENS };
  let { checkpointId, report } = await workrail.compressContext(call);
  const entries = [...report.entries];
  while (report.nextCursor !== undefined) {
    ({ checkpointId, report } = await workrail.compressContext({ ...call, cursor: report.nextCursor }));
    entries.push(...report.entries);
  }
  return { checkpointId: String(checkpointId), changed: entries.map(({ key: name }) => name) };
}

/** Fetches a value in parts, as the answers advise: an item too large for an answer is fetched by its own path. */
async function fetchParts(workrail: Workrail, checkpointId: string, path: Path): Promise<unknown> {
  const parts: unknown[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { values } = await workrail.viewCheckpoint({ checkpointId, keys: [[...path]], range: { offset } });
    const [part] = values ?? [];
    if (part === undefined || "omitted" in part) throw new Error(`nothing of ${JSON.stringify(path)} from ${offset} on`);
    parts.push(part.value);
    if (part.itemTooLarge === true) {
      const name: string | number = part.nextKey ?? offset + lengthOf(part.value);
      const item = await fetchParts(workrail, checkpointId, [...path, name]);
      parts.push(typeof name === "number" ? [item] : { [name]: item });
      const next: number = Number(part.nextOffset) + 1;
      offset = next < Number(part.length) ? next : undefined;
      continue;
    }
    if (part.nextOffset !== undefined && part.nextOffset <= offset) throw new Error("no progress");
    offset = part.nextOffset;
  }
  return join(parts);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function join(parts: readonly unknown[]): unknown {
  const [first] = parts;
  if (typeof first === "string") return parts.join("");
  if (Array.isArray(first)) return parts.flat(1);
  if (typeof first !== "object" || first === null) return first;
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part as object)));
}

/** Returns a value as JSON restores it, such as 0 for -0. */
function written(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

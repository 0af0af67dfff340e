import type { CheckpointId, Context } from "@workrail/core";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import type { ConformanceOptions } from "../options.ts";
import { reordered, someContext } from "../some-context.ts";
import { StoreUnderTest, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";
import { Workbench } from "../workbench.ts";

const LIMITS = { maxCheckpoints: Number.MAX_SAFE_INTEGER };

/** Tests that restore equals save for any context: at once, after further saves, and after a rebuild. */
export function describeRestore(harness: StorageHarness, options: Required<ConformanceOptions>): void {
  describe("restore equals save", () => {
    let store: StoreUnderTest;
    let bench: Workbench;
    const texts = new Map<CheckpointId, string>();
    const sessions = Array.from({ length: 10 }, () => randomIds.sessionId());
    beforeAll(async () => {
      store = await StoreUnderTest.create(harness);
      bench = new Workbench(store.storage, { limits: LIMITS });
    });
    afterAll(() => store.destroy());

    it(`for ${options.runs} contexts of any shape`, { timeout: 600_000 }, () =>
      fc.assert(
        fc.asyncProperty(someContext, fc.nat(sessions.length - 1), async (context, index) => {
          const sessionId = sessions[index] ?? randomIds.sessionId();
          const text = JSON.stringify(context);
          const { record } = await bench.save({ sessionId, context, force: true });
          texts.set(record.id, text);
          const loaded = await bench.load({ checkpointId: record.id });
          expectSame(loaded, text);
          expectSame(await bench.load({ sessionId }), text);
        }),
        { numRuns: options.runs, seed: options.seed },
      ),
    );

    it("for each of them again, when all are saved", () => expectAll(bench, texts));

    it("for each of them after a rebuild", { timeout: 600_000 }, async () => {
      const { checkpoints, unreadable } = await bench.rebuild();
      expect({ checkpoints, unreadable }).toEqual({ checkpoints: texts.size, unreadable: [] });
      await expectAll(bench, texts);
    });

    it("for each of them after the store was opened again", async (test) => {
      test.skip(!harness.capabilities.persistent, "closing forgets the store");
      await expectAll(new Workbench(await store.reopen(), { limits: LIMITS }), texts);
    });
  });

  it("skips the same content in another key order, and keeps that order when forced", () =>
    withStore(harness, async ({ storage }) => {
      const bench = new Workbench(storage);
      await fc.assert(
        fc.asyncProperty(someContext, async (context) => {
          const sessionId = randomIds.sessionId();
          const other = reordered(context);
          const first = await bench.save({ sessionId, context });
          const second = await bench.save({ sessionId, context: other });
          const isSameText = JSON.stringify(other) === JSON.stringify(context);
          expect(second).toEqual({ status: "unchanged", record: first.record, ignored: isSameText ? [] : ["keyOrder"] });
          await bench.save({ sessionId, context: other, force: true });
          expectSame(await bench.load({ sessionId }), JSON.stringify(other));
          expectSame(await bench.load({ checkpointId: first.record.id }), JSON.stringify(context));
        }),
        { numRuns: Math.ceil(options.runs / 10), seed: options.seed },
      );
    }));

  it("keeps names, tags and attributes as they were given", () =>
    withStore(harness, async ({ storage }) => {
      const bench = new Workbench(storage);
      const sessionId = randomIds.sessionId();
      const attributes = JSON.parse(String.raw`{"z":1,"a":{"__proto__":[0,"\ud800"]},"10":null}`) as Context;
      const given = { name: "ein Näme 😀", tags: ["b", "a", "b"], agentId: "agent", workflowId: "w", project: "/p q" };
      const { record } = await bench.save({ sessionId, context: { step: 1 }, attributes, ...given });
      const loaded = await bench.load({ sessionId });
      expect(loaded.record).toEqual(record);
      expect(loaded.record).toMatchObject({ ...given, tags: ["b", "a"] });
      expect(JSON.stringify(loaded.record.attributes)).toBe(JSON.stringify(attributes));
    }));
}

async function expectAll(bench: Workbench, texts: ReadonlyMap<CheckpointId, string>): Promise<void> {
  for (const [checkpointId, text] of texts) expectSame(await bench.load({ checkpointId }), text);
}

/** Expects the same text, and a value that serializes to this text, with its key order, lone surrogates and `__proto__`. */
function expectSame(loaded: { readonly context: Context; contextText(): string }, text: string): void {
  expect(loaded.contextText()).toBe(text);
  expect(JSON.stringify(loaded.context)).toBe(text);
}

import type { CheckpointId, LoadedText, SessionId } from "@workrail/core";
import { SteppingClock } from "../builders.ts";
import { describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { codeOf, Workbench } from "../workbench.ts";

const SESSION = "work" as SessionId;
const MISSING = "missing" as CheckpointId;

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function told({ records }: LoadedText): readonly string[] {
  return records.map(({ key, bytes }) => `${key}=${new TextDecoder().decode(bytes)}`);
}

/** Tests side records: they are loaded, moved, removed and erased with their checkpoint, and do not exist without it. */
export function describeRecords(harness: StorageHarness): void {
  describe("side records", () => {
    const onBench = (test: (bench: Workbench) => Promise<void>, limits?: ConstructorParameters<typeof Workbench>[1]) => () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage, { clock: new SteppingClock(), ...limits });
        await test(bench);
        await bench.idle();
        expect((await bench.verify()).findings).toEqual([]);
      });

    async function saved(bench: Workbench, step: number): Promise<CheckpointId> {
      return (await bench.save({ sessionId: SESSION, context: { step } })).record.id;
    }

    async function recordsOf(bench: Workbench, ...ids: readonly CheckpointId[]): Promise<readonly (readonly string[])[]> {
      return (await bench.loadTexts(ids)).loaded.map(told);
    }

    it(
      "come back exactly, in the order of their keys: the last of a key, or the first with ifAbsent",
      onBench(async (bench) => {
        const [one, two] = [await saved(bench, 1), await saved(bench, 2)];
        const any = Uint8Array.from({ length: 40_000 }, (_, index) => (index * 7) % 256);
        await bench.appendRecords({
          checkpointId: one,
          records: [
            { key: "a", bytes: bytesOf("1") },
            { key: "b", bytes: any, ifAbsent: true },
          ],
        });
        await bench.appendRecords({ checkpointId: two, records: [{ key: "a", bytes: bytesOf("other") }] });
        await bench.appendRecords({
          checkpointId: one,
          records: [
            { key: "c", bytes: new Uint8Array() },
            { key: "a", bytes: bytesOf("2") },
          ],
        });
        await bench.appendRecords({ checkpointId: one, records: [{ key: "b", bytes: bytesOf("late"), ifAbsent: true }] });
        const { loaded, failed } = await bench.loadTexts([two, one]);
        expect(failed).toEqual([]);
        expect(loaded.map(({ record }) => record.id)).toEqual([two, one]);
        expect(loaded[0]?.records).toEqual([{ key: "a", bytes: bytesOf("other") }]);
        expect(loaded[1]?.records.map(({ key }) => key)).toEqual(["a", "b", "c"]);
        expect(loaded[1]?.records.map(({ bytes }) => Buffer.from(bytes).toString("hex"))).toEqual(
          [bytesOf("2"), any, new Uint8Array()].map((bytes) => Buffer.from(bytes).toString("hex")),
        );
        expect((await bench.loadTexts([one], false)).loaded[0]?.records).toEqual([]);
      }),
    );

    it(
      "are neither the latest nor listed, and do not count",
      onBench(
        async (bench) => {
          const id = await saved(bench, 1);
          for (let each = 0; each < 5; each++)
            await bench.appendRecords({ checkpointId: id, records: [{ key: `${each}`, bytes: bytesOf("x") }] });
          expect((await bench.load({ sessionId: SESSION })).record.id).toBe(id);
          expect((await bench.list({ sessionId: SESSION })).map((record) => record.id)).toEqual([id]);
          await bench.saveAside({ sessionId: SESSION, context: { aside: true } });
          expect(await recordsOf(bench, id)).toEqual([["0=x", "1=x", "2=x", "3=x", "4=x"]]);
        },
        { limits: { maxAsides: 1 } },
      ),
    );

    it(
      "go with a checkpoint that is pruned",
      onBench(
        async (bench) => {
          const ids: CheckpointId[] = [];
          for (let step = 0; step < 5; step++) {
            ids.push(await saved(bench, step));
            await bench.appendRecords({ checkpointId: ids[step] as CheckpointId, records: [{ key: "of", bytes: bytesOf(`${step}`) }] });
          }
          expect(await bench.list({ sessionId: SESSION, kinds: ["workflow", "aside"] })).toHaveLength(4);
          expect(await recordsOf(bench, ...ids)).toEqual([["of=3"], ["of=4"]]);
        },
        { limits: { maxCheckpoints: 2 } },
      ),
    );

    it(
      "go to the trash and come back with their checkpoint",
      onBench(async (bench) => {
        const id = await saved(bench, 1);
        await bench.appendRecords({ checkpointId: id, records: [{ key: "a", bytes: bytesOf("1") }] });
        await bench.trash(SESSION);
        expect(await codeOf(bench.appendRecords({ checkpointId: id, records: [{ key: "a", bytes: bytesOf("2") }] }))).toBe(
          "CHECKPOINT_NOT_FOUND",
        );
        expect(await bench.restore(SESSION)).toEqual([id]);
        expect(await recordsOf(bench, id)).toEqual([["a=1"]]);
      }),
    );

    it(
      "are erased with their checkpoint, and with their session",
      onBench(async (bench) => {
        const [one, two] = [await saved(bench, 1), await saved(bench, 2)];
        for (const id of [one, two]) await bench.appendRecords({ checkpointId: id, records: [{ key: "a", bytes: bytesOf("1") }] });
        expect((await bench.erase({ checkpointIds: [one] })).left).toEqual([]);
        expect((await bench.list({ sessionId: SESSION, kinds: ["workflow", "aside"] })).length).toBe(2);
        expect(await recordsOf(bench, two)).toEqual([["a=1"]]);
        await bench.erase({ sessionIds: [SESSION] });
        expect(await bench.list({ kinds: ["workflow", "aside"] })).toEqual([]);
        expect(await codeOf(bench.appendRecords({ checkpointId: MISSING, records: [{ key: "a", bytes: bytesOf("1") }] }))).toBe(
          "CHECKPOINT_NOT_FOUND",
        );
      }),
    );

    it(
      "survive the loss of the catalog",
      onBench(async (bench) => {
        const id = await saved(bench, 1);
        await bench.appendRecords({ checkpointId: id, records: [{ key: "a", bytes: bytesOf("1") }] });
        await bench.appendRecords({ checkpointId: id, records: [{ key: "a", bytes: bytesOf("2") }] });
        await bench.rebuild();
        expect(await recordsOf(bench, id)).toEqual([["a=2"]]);
        expect((await bench.load({ sessionId: SESSION })).record.id).toBe(id);
      }),
    );

    it(
      "of many concurrent writers are all kept",
      onBench(async (bench) => {
        const id = await saved(bench, 1);
        const keys = Array.from({ length: 12 }, (_, index) => `task ${index}`);
        await Promise.all(
          keys.map((key) => bench.appendRecords({ checkpointId: id, records: [{ key, bytes: bytesOf(key), ifAbsent: true }] })),
        );
        expect((await recordsOf(bench, id))[0]?.toSorted()).toEqual(keys.map((key) => `${key}=${key}`).toSorted());
      }),
    );
  });
}

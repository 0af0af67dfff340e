import type { CheckpointId, CheckpointRecord, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { SteppingClock } from "../builders.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { codeOf, Workbench } from "../workbench.ts";

const FROM = "from" as SessionId;
const TO = "to" as SessionId;
const LIMIT = 3;

/** Tests that a session is copied exactly, also by a call that is interrupted and repeated, and that the two are then independent. */
export function describeCopies(harness: StorageHarness): void {
  describe("copies of sessions", () => {
    const onBench = (test: (bench: Workbench, storage: Parameters<Parameters<typeof withStore>[1]>[0]["storage"]) => Promise<void>) => () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage, { clock: new SteppingClock(), limits: { maxCheckpoints: LIMIT } });
        await test(bench, storage);
        await bench.idle();
        expect((await bench.verify()).findings).toEqual([]);
      });

    it(
      "have the same content, labels, parents, side records, session tags and pins",
      onBench(async (bench, storage) => {
        await fill(bench);
        const { copies, present } = await bench.copySession({ from: FROM, to: TO });
        expect(present).toBe(0);
        await expectSame(bench, copies);
        const { session } = await storage.catalog.read({ session: { of: "session", id: TO } });
        expect(session).toMatchObject({ tags: expect.arrayContaining(["keep"]) as unknown, pins: ["step"] });
        const { audit } = await storage.catalog.read({ audit: { of: "audit", query: { actions: ["import"], sessionId: TO } } });
        expect(audit.map(({ reason }) => reason)).toEqual([`copy of ${FROM}`]);
      }),
    );

    it(
      "survive the original, and a rebuild",
      onBench(async (bench) => {
        await fill(bench);
        const { copies } = await bench.copySession({ from: FROM, to: TO });
        const before = await contentsOf(
          bench,
          copies.map(({ to }) => to),
        );
        await bench.compact(TO);
        await bench.erase({ sessionIds: [FROM] });
        await bench.rebuild();
        expect(
          await contentsOf(
            bench,
            copies.map(({ to }) => to),
          ),
        ).toEqual(before);
      }),
    );

    it(
      "are completed by a repeated call, wherever the first was interrupted",
      onBench(async (bench, storage) => {
        await fill(bench);
        for (let changes = 1; ; changes++) {
          const isDone = await interruptedAfter(storage, changes, (cut) => cut.copySession({ from: FROM, to: TO })).then(
            () => true,
            () => false,
          );
          if (isDone) break;
        }
        const again = await bench.copySession({ from: FROM, to: TO });
        expect(again.present).toBe(again.copies.length);
        await expectSame(bench, again.copies);
      }),
    );

    it(
      "get the ids and attributes that the caller gives them",
      onBench(async (bench) => {
        const { record } = await bench.save({ sessionId: FROM, context: { step: 1 }, attributes: { thread: "a", other: 1 } });
        const rename = ({ id }: CheckpointRecord) => ({ id: `copy-${id}` as CheckpointId, attributes: { thread: "b" } });
        const { copies } = await bench.copySession({ from: FROM, to: TO, rename });
        expect(copies).toEqual([{ from: record.id, to: `copy-${record.id}` }]);
        expect((await bench.list({ sessionId: TO }))[0]).toMatchObject({ id: `copy-${record.id}`, attributes: { thread: "b", other: 1 } });
      }),
    );

    it(
      "leave out checkpoints for which `rename` returns undefined",
      onBench(async (bench) => {
        const { record } = await bench.save({ sessionId: FROM, context: { step: 1 } });
        await bench.save({ sessionId: FROM, context: { step: 2 } });
        const rename = ({ id }: CheckpointRecord) => (id === record.id ? {} : undefined);
        expect((await bench.copySession({ from: FROM, to: TO, rename })).copies.map(({ from }) => from)).toEqual([record.id]);
        expect(await bench.list({ sessionId: TO })).toHaveLength(1);
      }),
    );

    it(
      "are refused from an unknown session, and to the same session",
      onBench(async (bench) => {
        expect(await codeOf(bench.copySession({ from: FROM, to: TO }))).toBe("SESSION_NOT_FOUND");
        await bench.save({ sessionId: FROM, context: { step: 1 } });
        expect(await codeOf(bench.copySession({ from: FROM, to: FROM }))).toBe("INVALID_INPUT");
      }),
    );
  });
}

/** Saves more checkpoints than the limit, of several kinds, with a fork, side records and an aside that belongs to none. */
async function fill(bench: Workbench): Promise<void> {
  const ids: CheckpointId[] = [];
  for (let step = 0; step < LIMIT + 3; step++) {
    const { record } = await bench.save({
      sessionId: FROM,
      keep: true,
      context: { step, 10: "ä\u2028", "2": [null, { b: -0.5, a: "x".repeat(500) }] },
      name: `step ${step}`,
      tags: ["t", `t${step}`],
      attributes: { step },
      agentId: "agent",
      workflowId: "flow",
      project: "/p",
      ...(step === 4 ? { parentId: ids[1] ?? null, kind: "project" as const } : {}),
    });
    ids.push(record.id);
    if (step % 2 === 0) await bench.appendRecords({ checkpointId: record.id, records: [{ key: "k", bytes: Uint8Array.of(step, 255) }] });
  }
  await bench.appendRecords({ checkpointId: ids[0] as CheckpointId, records: [{ key: "k", bytes: Uint8Array.of(9), ifAbsent: true }] });
  await bench.saveAside({ sessionId: FROM, context: { aside: true } });
  await bench.pin({ sessionId: FROM, key: "step" });
  await bench.compact(FROM);
}

async function contentsOf(bench: Workbench, ids: readonly CheckpointId[]) {
  const { loaded, failed } = await bench.loadTexts(ids);
  expect(failed).toEqual([]);
  return loaded.map(({ record, text, records }) => ({
    text,
    records: records.map(({ key, bytes }) => [key, Buffer.from(bytes).toString("hex")]),
    record: {
      ...record,
      id: "",
      sessionId: "",
      parentId: "",
      blob: "",
      blobBytes: 0,
      baseId: null,
      sequence: 0,
      lastAccessedAt: undefined,
    },
  }));
}

async function expectSame(bench: Workbench, copies: readonly { readonly from: CheckpointId; readonly to: CheckpointId }[]): Promise<void> {
  const originals = (await bench.list({ sessionId: FROM })).toReversed();
  expect(copies.map(({ from }) => from)).toEqual(originals.map(({ id }) => id));
  const made = (await bench.list({ sessionId: TO })).toReversed();
  expect(made.map(({ id }) => id)).toEqual(copies.map(({ to }) => to));
  const idOf = new Map(copies.map(({ from, to }) => [from as string | null, to]));
  expect(made.map(({ parentId }) => parentId)).toEqual(originals.map(({ parentId }) => idOf.get(parentId) ?? parentId));
  const [from, to] = [
    await contentsOf(
      bench,
      copies.map((copy) => copy.from),
    ),
    await contentsOf(
      bench,
      copies.map((copy) => copy.to),
    ),
  ];
  expect(to).toEqual(from);
}

/** Runs work on a store whose catalog refuses every change after the first ones, as if the process were killed there. */
async function interruptedAfter(
  storage: ConstructorParameters<typeof Workbench>[0],
  changes: number,
  work: (bench: Workbench) => Promise<unknown>,
): Promise<unknown> {
  let left = changes;
  const catalog = new Proxy(storage.catalog, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) => {
        if (name === "change" && left-- <= 0) return Promise.reject(new Error("interrupted"));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  const { recovery, blobs, locking } = storage;
  return work(new Workbench({ catalog, recovery, blobs, locking }, { limits: { maxCheckpoints: LIMIT } }));
}

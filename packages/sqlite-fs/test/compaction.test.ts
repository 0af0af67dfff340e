import { randomInt } from "node:crypto";
import path from "node:path";
import type { CheckpointId, CheckpointRecord, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";
import { Child } from "./child-process.ts";
import { growingContext } from "./growing-context.ts";
import { PATIENT, type TestStore, withDirectory, withOpened } from "./test-store.ts";

const KILLS = Number(process.env["WORKRAIL_COMPACTION_KILLS"] ?? 4);
const AT_ONCE = 4;
/** Saves of a process to each session, while another reads everything. */
const EACH = IS_LONG ? 25 : 10;
const SHARED = "shared" as SessionId;
/** Session in which only the newest three checkpoints are kept. */
const PRUNED = "pruned" as SessionId;

interface Acknowledged {
  readonly sessionId: string;
  readonly id: CheckpointId;
  readonly text: string;
}

describe("processes that save to sessions and compact them", { timeout: 600_000 }, () => {
  it(`lose nothing that they acknowledged when they are killed, ${KILLS} times`, () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const acknowledged: Acknowledged[] = [];
      for (let killed = 0; killed < KILLS; killed += AT_ONCE) {
        const children = Array.from({ length: Math.min(AT_ONCE, KILLS - killed) }, (_, index) =>
          start(dataDir, `writer-${killed + index}`),
        );
        await Promise.all(
          children.map(async ({ child }) => {
            await child.told(randomInt(2, 12));
            // A compaction takes some milliseconds: kill anywhere within it.
            await new Promise((resolve) => setTimeout(resolve, randomInt(0, 20)));
            await child.kill();
          }),
        );
        acknowledged.push(...children.flatMap(acknowledgedBy));
        await withOpened(dataDir, (store) => expectAllBack(store, acknowledged));
      }
      await withOpened(dataDir, async (store) => {
        for (const sessionId of [SHARED, PRUNED]) await store.compact(sessionId);
        await expectAllBack(store, acknowledged);
        expect((await recordsOf(store, SHARED)).filter(({ baseId }) => baseId !== null).length).toBeGreaterThan(KILLS / 2);
        await store.collectGarbage();
        await store.rebuild();
        await expectAllBack(store, acknowledged);
      });
    }));

  it("do so at once, while another reads everything, which never fails", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const children = ["one", "two"].map((writer) => start(dataDir, writer, EACH));
      await withOpened(
        dataDir,
        async (store) => {
          const work = { isUnderWay: true };
          const done = Promise.all(children.map(({ child }) => child.done())).finally(() => {
            work.isUnderWay = false;
          });
          let loads = 0;
          while (work.isUnderWay) {
            const told = children.flatMap(acknowledgedBy);
            const kept = told.filter(({ sessionId }) => sessionId !== PRUNED);
            for (const { id, text } of kept.slice(-20)) expect((await store.load({ checkpointId: id })).contextText()).toBe(text);
            for (const sessionId of new Set(told.map((each) => each.sessionId as SessionId))) await store.load({ sessionId });
            loads += told.length;
            await new Promise((resolve) => setImmediate(resolve));
          }
          await done;
          expect(loads).toBeGreaterThan(0);
          const acknowledged = children.flatMap(acknowledgedBy);
          expect(acknowledged).toHaveLength(2 * 3 * EACH);
          await expectAllBack(store, acknowledged);
          await store.compact(SHARED);
          await expectAllBack(store, acknowledged);
          expect((await recordsOf(store, PRUNED)).length).toBe(3);
        },
        PATIENT,
      );
    }));
});

interface Writer {
  readonly writer: string;
  readonly child: Child;
}

function start(dataDir: string, writer: string, most = Number.MAX_SAFE_INTEGER): Writer {
  return { writer, child: Child.start({ type: "compact", dataDir, writer, sessions: [SHARED, PRUNED, writer], most }) };
}

function acknowledgedBy({ writer, child }: Writer): readonly Acknowledged[] {
  return child.lines.map((line) => {
    const [sessionId = "", id = "", number] = line.split(" ");
    return { sessionId, id: id as CheckpointId, text: JSON.stringify(growingContext(writer, Number(number))) };
  });
}

/** Expects all acknowledged checkpoints to be exact, and all other checkpoints and the heads to be readable. */
async function expectAllBack(store: TestStore, acknowledged: readonly Acknowledged[]): Promise<void> {
  const kept = acknowledged.filter(({ sessionId }) => sessionId !== PRUNED);
  for (const { id, text } of kept) expect((await store.load({ checkpointId: id })).contextText()).toBe(text);
  for (const sessionId of [SHARED, PRUNED]) {
    const records = await recordsOf(store, sessionId);
    for (const { id } of records) await store.load({ checkpointId: id });
    expect((await store.load({ sessionId })).record.id).toBe(records[0]?.id);
    const session = await store.storage.catalog.session(sessionId);
    expect(session?.totalSizeBytes).toBe(records.reduce((sum, { blobBytes }) => sum + blobBytes, 0));
  }
}

async function recordsOf(store: TestStore, sessionId: SessionId): Promise<readonly CheckpointRecord[]> {
  return (await store.storage.catalog.list({ filter: { sessionId }, limit: 10_000, offset: 0 })).records;
}

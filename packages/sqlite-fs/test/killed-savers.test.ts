import path from "node:path";
import type { SessionId } from "@workrail/core";
import { type Chance, completeOptions, tally, withChance } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import { Child } from "./child-process.ts";
import { proveFiles } from "./prove-files.ts";
import { withDirectory, withOpened } from "./test-store.ts";

const KILLS = Number(process.env["WORKRAIL_KILLS"] ?? 5);
const AT_ONCE = 5;
const BETWEEN_PROOFS = 50;
/** Sessions that all writers save to; "pruned" keeps the newest few. Each writer also has its own session. */
const SHARED = ["shared", "pruned"];

interface Acknowledged {
  readonly id: string;
  readonly sessionId: string;
  readonly context: { readonly writer: string; readonly number: number };
}

describe("processes that are killed at random moments while they save", { timeout: Math.max(600_000, KILLS * 2_000) }, () => {
  it(`lose nothing that they acknowledged, ${KILLS} times`, () =>
    withChance(completeOptions().seed, (chance) =>
      withDirectory(async (directory) => {
        expect(await killAndProve(path.join(directory, "data"), chance)).toEqual([]);
      }),
    ));
});

/** Returns the checkpoints that are lost after all kills and a rebuild of the catalog. */
async function killAndProve(dataDir: string, chance: Chance): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let killed = 0; killed < KILLS; killed += BETWEEN_PROOFS) {
    const kills = Math.min(BETWEEN_PROOFS, KILLS - killed);
    const saved = await saveAndKillAll(dataDir, { from: killed, kills }, chance);
    acknowledged.push(...saved);
    const lost = await lostOf(acknowledged, dataDir);
    tally({ tries: kills, acknowledged: saved.length, lost: lost.length });
    expect(lost).toEqual([]);
  }
  await withOpened(dataDir, async (store) => {
    await store.collectGarbage();
    await store.rebuild();
  });
  return lostOf(acknowledged, dataDir);
}

interface Killing {
  /** Number of the first writer. */
  readonly from: number;
  readonly kills: number;
}

async function saveAndKillAll(dataDir: string, { from, kills }: Killing, chance: Chance): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  for (let killed = 0; killed < kills; killed += AT_ONCE) {
    const writers = Array.from({ length: Math.min(AT_ONCE, kills - killed) }, (_, index) => `writer-${from + killed + index}`);
    acknowledged.push(...(await saveAndKill(dataDir, writers, chance)));
  }
  return acknowledged;
}

/** Starts writers and kills them. The times of the kills follow the seed; the progress of the processes depends on the machine. */
async function saveAndKill(dataDir: string, writers: readonly string[], chance: Chance): Promise<readonly Acknowledged[]> {
  const children = writers.map((writer) => {
    // A save takes a few milliseconds: kill anywhere within it.
    const [saves, waitMs] = [1 + chance.below(11), chance.below(15)];
    return {
      writer,
      saves,
      waitMs,
      child: Child.start({ type: "save", dataDir, writer, sessions: [...SHARED, writer], most: Number.MAX_SAFE_INTEGER }),
    };
  });
  await Promise.all(
    children.map(async ({ child, saves, waitMs }) => {
      await child.told(saves);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await child.kill();
    }),
  );
  return children.flatMap(({ writer, child }) =>
    child.lines.map((line) => {
      const [sessionId = "", id = "", number] = line.split(" ");
      return { sessionId, id, context: { writer, number: Number(number) } };
    }),
  );
}

/** Returns the acknowledged checkpoints that are missing or changed. Throws when anything else in the store is wrong. */
async function lostOf(acknowledged: readonly Acknowledged[], dataDir: string): Promise<readonly Acknowledged[]> {
  // Opening recovers the database, which must happen before the files are checked.
  await withOpened(dataDir, async (store) => {
    for (const sessionId of SHARED) await store.load({ sessionId: sessionId as SessionId });
  });
  const { contexts, sequences } = proveFiles(dataDir);
  expect(sequences.get("pruned")).toHaveLength(3);
  expect(sequences.get("shared")?.[0]).toBe(1);
  const kept = acknowledged.filter(({ sessionId }) => sessionId !== "pruned");
  return kept.filter(({ id, context }) => JSON.stringify(contexts.get(id)) !== JSON.stringify(context));
}

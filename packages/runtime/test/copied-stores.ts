import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { type CheckpointRow, type Everything, EVERYTHING, type Facts, runFinally, type Storage } from "@workrail/core";
import { OPENERS } from "./sealed-stores.ts";
import type { Place } from "./stores.ts";

/** Hard to compress, and the same in each checkpoint. */
export const FILLER = randomBytes(2_000).toString("base64");

/** Fills a store with everything that a copy must keep: deltas, a fork, an aside, labels, pins, trash and a deleted checkpoint. */
export async function fill(place: Place, steps = 12): Promise<void> {
  await using store = await place.open({ settings: { maxCheckpoints: 1_000_000 } });
  for (let step = 0; step < steps; step++) {
    const sessionId = step % 3 === 0 ? "other" : "work";
    await store.saveCheckpoint({
      sessionId,
      context: { filler: FILLER, step },
      metadata: { name: `step ${step}`, tags: [`t${step % 2}`] },
    });
  }
  const checkpoints = await store.listCheckpoints({ sessionId: "work" });
  const [newest, second, third, fourth] = checkpoints.map(({ id }) => id);
  await store.saveCheckpoint({
    sessionId: "work",
    parentId: third,
    context: { filler: FILLER, fork: true },
    metadata: { attributes: { a: 1 } },
  });
  await store.markCritical({ sessionId: "work", contextKey: "filler" });
  await store.tagSession({ sessionId: "other", add: ["keep"] });
  await store.cleanUp({ checkpointIds: [second as string] });
  await store.deleteCheckpoint({ checkpointId: fourth as string });
  await store.loadCheckpoint({ checkpointId: newest });
}

export function beside(place: Place, name: string): string {
  return path.join(path.dirname(place.dataDir), name);
}

export async function rowsOf(storage: Storage): Promise<Facts<Everything>> {
  return runFinally(
    () => storage.catalog.read(EVERYTHING),
    () => storage.close(),
  );
}

/** Rows without the fields that the adapter assigns. */
export function comparable({ checkpoints, removals, sessions, edges, ...rows }: Facts<Everything>): unknown {
  const placeless = ({ record: { blob: _blob, ...record }, trashedAt }: CheckpointRow): unknown => ({ record, trashedAt });
  const pending = removals.filter(({ isDone }) => !isDone).map(({ blob: _blob, ...row }) => row);
  return {
    ...rows,
    edges: edges.map(({ dependent, base }) => `${dependent} ${base}`).toSorted(),
    checkpoints: checkpoints.map(placeless),
    sessions: sessions.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    removals: pending,
  };
}

export const rowsAt = (dataDir: string) => OPENERS["sqlite-fs"](dataDir).then(rowsOf);

/** Every context of a store, by id. */
export async function contextsAt(place: Place, dataDir: string): Promise<ReadonlyMap<string, unknown>> {
  await using store = await place.open({ dataDir, upkeep: false });
  const contexts = new Map<string, unknown>();
  for await (const { id } of store.eachCheckpoint({ project: null }))
    contexts.set(id, (await store.loadCheckpoint({ checkpointId: id })).context);
  return contexts;
}

/** Runs a program that reports on each line how much is done, and kills it when that is a number or more. */
export async function killAfter(program: string, args: readonly string[], done: number): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) if (Number(line) >= done) child.kill("SIGKILL");
  await closed;
}

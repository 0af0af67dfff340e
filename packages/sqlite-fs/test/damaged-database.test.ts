import fs from "node:fs";
import path from "node:path";
import { type CheckpointId, type Context, isWorkrailError } from "@workrail/core";
import { tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SESSION, type TestStore, withDirectory, withOpened } from "./test-store.ts";

const STEPS = 12;
/** Number of steps whose records are in the database itself; the records of later steps are in its `-wal`. */
const CLOSED_AFTER = 6;
const FLIPS = Number(process.env["WORKRAIL_FLIPS"] ?? 5);
const PAGE = 1_024;

type Spoil = (bytes: Buffer) => Buffer;

/** Context of a step. The text differs from step to step, because a repeated text would give an empty delta. */
function contextAt(step: number): Context {
  return { step, plan: Array.from({ length: 20 + step }, (_, line) => `${line * step} ${"of the plan ".repeat(3)}`) };
}

let folder: string;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(process.env["TMPDIR"] ?? "/tmp"), "workrail-damage-"));
  const dataDir = path.join(folder, "data");
  await withOpened(dataDir, async (store) => {
    for (let step = 1; step <= CLOSED_AFTER; step++) await saveStep(store, step);
    await store.pin("plan");
    await store.compact();
  });
  fs.cpSync(dataDir, original("closed"), { recursive: true });
  await withOpened(dataDir, async (store) => {
    for (let step = CLOSED_AFTER + 1; step <= STEPS; step++) await saveStep(store, step);
    // State as after a kill.
    fs.cpSync(dataDir, original("killed"), { recursive: true });
  });
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function original(name: "closed" | "killed"): string {
  return path.join(folder, name);
}

async function saveStep(store: TestStore, step: number): Promise<void> {
  await store.save(contextAt(step), { checkpointId: idOf(step), tags: [`tag-${step}`] });
}

function idOf(step: number): CheckpointId {
  return `step-${step}` as CheckpointId;
}

/** Flips one bit: number `index` of `count` bits that are spread over the file. */
function flip(index: number, count: number): Spoil {
  return (bytes) => {
    const spoilt = Buffer.from(bytes);
    const at = Math.floor(((index + 0.5) / count) * bytes.length);
    spoilt[at] = (bytes[at] ?? 0) ^ (1 << (index % 8));
    return spoilt;
  };
}

const DAMAGES: readonly (readonly [name: string, spoil: Spoil])[] = [
  ...Array.from({ length: FLIPS }, (_, index) => [`flipped bit ${index + 1} of ${FLIPS}`, flip(index, FLIPS)] as const),
  ...[0, 0.3, 0.6, 0.99].map((place) => [`page of zeros at ${place}`, zeroed(place)] as const),
  ...[0, 0.3, 0.6, 0.99].map((place) => [`end at ${place}`, (bytes: Buffer) => bytes.subarray(0, bytes.length * place)] as const),
];

function zeroed(place: number): Spoil {
  return (bytes) => {
    const start = Math.floor((bytes.length * place) / PAGE) * PAGE;
    return Buffer.from(bytes).fill(0, start, Math.min(start + PAGE, bytes.length));
  };
}

const FILES = [
  ["closed", "workrail.db", CLOSED_AFTER],
  ["killed", "workrail.db", STEPS],
  ["killed", "workrail.db-wal", STEPS],
  ["killed", "workrail.db-shm", STEPS],
  ["closed", "workrail.lock", CLOSED_AFTER],
] as const;

describe.each(FILES)("in a store that was %s, in %s", (state, file, steps) => {
  it.each(DAMAGES)("a %s: each load gives the right value or a named error, and a rebuild restores all", (_, spoil) =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      fs.cpSync(original(state), dataDir, { recursive: true });
      const damaged = path.join(dataDir, file);
      fs.writeFileSync(damaged, spoil(fs.readFileSync(damaged)));
      await withOpened(dataDir, async (store) => {
        const reads: string[] = [];
        for (let step = 1; step <= steps; step++) reads.push(await read(store, step));
        const wrong = reads.filter((each, index) => !rightOrNamed(index + 1).includes(each));
        tally({ tries: 1, acknowledged: steps, wrong: wrong.length });
        expect(wrong).toEqual([]);
        // SQLite does not detect a `-wal` that lost its end; the store does.
        if (await store.storage.recovery.needsRebuild()) await store.recover();
        expect(["right", "STORAGE_UNAVAILABLE"]).toContain(await latest(store, steps));
        await store.rebuild();
        for (let step = 1; step <= steps; step++) expect(await read(store, step)).toBe(JSON.stringify(contextAt(step)));
        expect((await store.load()).context["step"]).toBe(steps);
        expect((await store.storage.catalog.session(SESSION))?.pins).toEqual(["plan"]);
        expect((await store.verify()).findings).toEqual([]);
      });
    }),
  );
});

/** Returns `right` when the newest step is loaded, or an older one with the skipped checkpoints named. */
function latest(store: TestStore, newest: number): Promise<string> {
  return named(async () => {
    const { context, fellBackFrom, ...loaded } = await store.load();
    const step = context["step"] as number;
    const isRight = loaded.contextText() === JSON.stringify(contextAt(step)) && (step >= newest || fellBackFrom.length > 0);
    return isRight ? "right" : `step ${step}`;
  });
}

function rightOrNamed(step: number): readonly string[] {
  return [JSON.stringify(contextAt(step)), "STORAGE_UNAVAILABLE", "CHECKPOINT_CORRUPT", "CHECKPOINT_NOT_FOUND"];
}

function read(store: TestStore, step: number): Promise<string> {
  return named(async () => (await store.load({ checkpointId: idOf(step) })).contextText());
}

async function named(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return isWorkrailError(error) ? error.code : String(error);
  }
}

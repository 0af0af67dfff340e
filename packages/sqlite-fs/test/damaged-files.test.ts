import fs from "node:fs";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import { type CheckpointId, type CheckpointRecord, type Context, isWorkrailError } from "@workrail/core";
import { type FaultPlan, Faults, tally, withFaults } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sumRows } from "../src/sum-rows.ts";
import { openDatabase } from "./open-database.ts";
import { failureOf, SESSION, type TestStore, withDirectory, withOpened } from "./test-store.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const STEPS = 9;
/** Checkpoints that are damaged, each in its own store: all in `npm run test:faults`, else an old one, one in the middle and the head. */
const DAMAGED = IS_LONG ? Array.from({ length: STEPS }, (_, index) => index + 1) : [2, 6, STEPS];

/**
 * Distance between the file operations of a quarantine that fail, after the first ones, which differ most. `npm run test:faults` strikes
 * each.
 */
const STRIDE = IS_LONG ? 1 : 4;
const EACH_OF_THE_FIRST = 8;

/** Context with a growing history of text that hardly compresses. */
function contextAt(step: number): Context {
  const line = (index: number): string =>
    Array.from({ length: 30 }, (_, at) => ((index * 7_919 + at * 104_729) % 99_991).toString(36)).join(" ");
  return { step, history: Array.from({ length: step + 12 }, (_, index) => `${index} ${line(index)}`) };
}

/** Damages to a file, at places spread over it. `undefined`: the file is removed. */
const DAMAGES: readonly (readonly [name: string, spoil: (bytes: Buffer) => Buffer | undefined])[] = [
  ...[0.02, 0.3, 0.6, 0.98].map((place) => [`a flipped bit at ${place}`, (bytes: Buffer) => flipped(bytes, place)] as const),
  [
    "a block of zeros",
    (bytes) => Buffer.concat([bytes.subarray(0, bytes.length / 3), Buffer.alloc(512), bytes.subarray(bytes.length / 3 + 512)]),
  ],
  ["nothing but zeros", (bytes) => Buffer.alloc(bytes.length)],
  ["half of it", (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ["all but the last byte", (bytes) => bytes.subarray(0, -1)],
  ["no byte", () => Buffer.alloc(0)],
  ["no file", () => undefined],
];

function flipped(bytes: Buffer, place: number): Buffer {
  const spoilt = Buffer.from(bytes);
  const at = Math.floor(bytes.length * place);
  spoilt[at] = (spoilt[at] ?? 0) ^ (1 << (at % 8));
  return spoilt;
}

/** Directory with a closed store, to be copied, whose older checkpoints are deltas. */
let folder: string;
let records: readonly CheckpointRecord[];

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(process.env["TMPDIR"] ?? "/tmp"), "workrail-damage-"));
  await withOpened(original(), async (store) => {
    for (let step = 1; step <= STEPS; step++) await store.save(contextAt(step), { checkpointId: `step-${step}` as CheckpointId });
    await store.pin("history");
    await store.compact();
    records = await recordsOf(store);
  });
  if (records.filter(({ baseId }) => baseId !== null).length < STEPS - 4) throw new Error("Too few are deltas.");
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function original(): string {
  return path.join(folder, "original");
}

/** Copies the store, damages the copy and opens it. */
async function onCopy<T>(spoil: (dataDir: string) => void, work: (store: TestStore) => Promise<T>): Promise<T> {
  return withDirectory(async (directory) => {
    const dataDir = path.join(directory, "data");
    fs.cpSync(original(), dataDir, { recursive: true });
    spoil(dataDir);
    return withOpened(dataDir, work);
  });
}

/** Records of the session, oldest first. */
async function recordsOf(store: TestStore): Promise<readonly CheckpointRecord[]> {
  const { records: newestFirst } = await store.storage.catalog.list({ filter: { sessionId: SESSION }, limit: 100, offset: 0 });
  return newestFirst.toReversed();
}

function spoilFile(dataDir: string, file: string, spoil: (bytes: Buffer) => Buffer | undefined): void {
  const full = path.join(dataDir, file);
  const bytes = spoil(fs.readFileSync(full));
  if (bytes === undefined) fs.rmSync(full);
  else fs.writeFileSync(full, bytes);
}

/** Returns the steps that load, each compared with the saved context. The others must fail with a named error. */
async function readableSteps(store: TestStore): Promise<readonly number[]> {
  const steps: number[] = [];
  for (let step = 1; step <= STEPS; step++) {
    const checkpointId = `step-${step}` as CheckpointId;
    const read = await store.load({ checkpointId }).then(
      (loaded) => loaded.contextText(),
      (error: unknown) => errorAbout(error, checkpointId),
    );
    const right = [JSON.stringify(contextAt(step)), `CHECKPOINT_CORRUPT ${checkpointId}`];
    tally({ tries: 0, acknowledged: 1, wrong: right.includes(read) ? 0 : 1 });
    expect(right).toContain(read);
    if (!read.startsWith("CHECKPOINT_CORRUPT")) steps.push(step);
  }
  return steps;
}

function errorAbout(error: unknown, checkpointId: CheckpointId): string {
  return isWorkrailError(error) && error.details["checkpointId"] === checkpointId ? `${error.code} ${checkpointId}` : String(error);
}

describe.each(DAMAGES)("%s", (_, spoil) => {
  it.each(DAMAGED)("in the file of checkpoint %i: the right value or a named error, and what can be saved is saved", async (step) => {
    const record = records[step - 1] as CheckpointRecord;
    await onCopy(
      (dataDir) => spoilFile(dataDir, record.blob, spoil),
      async (store) => {
        const latest = await store.load();
        expect(latest.contextText()).toBe(JSON.stringify(contextAt(latest.context["step"] as number)));
        // The head and the checkpoint before it are never both lost.
        expect(latest.context["step"]).toBe(step === STEPS && latest.fellBackFrom.length > 0 ? STEPS - 1 : STEPS);
        tally({ tries: 1 });
        const readable = await readableSteps(store);
        for (let newer = step + 1; newer <= STEPS; newer++) expect(readable).toContain(newer);

        const marked = (await recordsOf(store)).filter(({ damaged }) => damaged);
        expect(marked.map(({ id }) => id)).toEqual(readable.includes(step) ? [] : [record.id]);
        const { findings } = await store.verify();
        const others = findings.filter(({ kind }) => kind !== "depends-on-damaged");
        expect(others.map(({ kind, checkpointId }) => [kind, checkpointId])).toEqual(marked.map(({ id }) => ["marked", id]));
        expect(STEPS - readable.length).toBe(marked.length + findings.filter(({ kind }) => kind === "depends-on-damaged").length);
        await store.save({ goes: "on" });
        expect((await store.load()).context).toEqual({ goes: "on" });
      },
    );
  });

  it("in the session's facts file: every checkpoint loads, and repair rewrites the file", async () => {
    const file = `contexts/${SESSION}/metadata.json`;
    await onCopy(
      (dataDir) => spoilFile(dataDir, file, spoil),
      async (store) => {
        expect(await readableSteps(store)).toHaveLength(STEPS);
        await store.repair();
        const text = (dataDir: string): string => fs.readFileSync(path.join(dataDir, file), "utf8");
        const { findings } = await store.verify();
        expect(findings).toEqual([]);
        expect(JSON.parse(text(store.dataDir))).toMatchObject({ pins: ["history"] });
      },
    );
  });
});

describe("repair", () => {
  it("quarantines damaged files before any load, once", () =>
    onCopy(
      (dataDir) => {
        for (const step of [2, STEPS]) spoilFile(dataDir, (records[step - 1] as CheckpointRecord).blob, (bytes) => flipped(bytes, 0.5));
      },
      async (store) => {
        const preview = await store.repair({ dryRun: true });
        expect(preview.repaired.map(({ kind, checkpointId }) => [kind, checkpointId])).toEqual([
          ["damaged", `step-${STEPS}`],
          ["damaged", "step-2"],
        ]);
        expect(fs.existsSync(path.join(store.dataDir, "quarantine"))).toBe(false);
        expect((await store.repair()).repaired).toEqual(preview.repaired);
        const aside = fs.readdirSync(path.join(store.dataDir, "quarantine/contexts", SESSION)).toSorted();
        expect(aside).toEqual(["step-2.json.gz", `step-${STEPS}.json.gz`]);
        expect((await store.repair()).repaired).toEqual([]);
        expect(await store.load()).toMatchObject({ context: { step: STEPS - 1 }, fellBackFrom: [{ checkpointId: `step-${STEPS}` }] });
      },
    ));

  it("makes the dependents of a restored file readable again", () =>
    onCopy(
      (dataDir) => spoilFile(dataDir, (records[3] as CheckpointRecord).blob, () => undefined),
      async (store) => {
        expect((await readableSteps(store)).length).toBeLessThan(STEPS);
        const { blob } = records[3] as CheckpointRecord;
        fs.copyFileSync(path.join(original(), blob), path.join(store.dataDir, blob));
        await store.repair();
        expect(await readableSteps(store)).toHaveLength(STEPS);
        expect((await store.verify()).findings).toEqual([]);
      },
    ));

  it("corrects wrong sums and edges", () =>
    onCopy(
      () => undefined,
      async (store) => {
        const database = openDatabase(path.join(store.dataDir, "workrail.db"), 5_000);
        database.exec("DELETE FROM edge; UPDATE session SET total_bytes = 1, checkpoint_count = 99, aside_count = 7");
        sumRows(database);
        database.close();
        const kinds = (await store.verify()).findings.map(({ kind }) => kind);
        expect(new Set(kinds)).toEqual(new Set(["sums", "edge-missing"]));
        await store.repair();
        expect((await store.verify()).findings).toEqual([]);
        expect(await store.storage.catalog.session(SESSION)).toMatchObject({ checkpointCount: STEPS, asideCount: 0 });
      },
    ));

  it("does not replace a file in quarantine", () =>
    onCopy(
      () => undefined,
      async ({ storage, dataDir }) => {
        const { blob } = records[0] as CheckpointRecord;
        for (const name of [blob, `${blob}.1`, `${blob}.2`]) {
          fs.writeFileSync(path.join(dataDir, blob), name);
          expect(await storage.blobs.quarantine(blob)).toBe(path.join(dataDir, "quarantine", name));
          expect(fs.readFileSync(path.join(dataDir, "quarantine", name), "utf8")).toBe(name);
        }
        expect(await storage.blobs.quarantine(blob)).toBeUndefined();
      },
    ));
});

describe("a process that ends, or a disk that fails, at any file operation of a quarantine", () => {
  it.each(["crashes", "fails", "fails-after"] as const)("(%s) loses no bytes, and the next load falls back", async (kind) => {
    let struck = true;
    for (let at = 1; struck; at += at < EACH_OF_THE_FIRST ? 1 : STRIDE) {
      struck = await quarantineWith({ kind, at, persistent: false, code: "EIO" });
    }
    expect(struck).toBe(false);
  });
});

/** Quarantines a damaged head under a fault, and checks the result. True when the fault struck. */
async function quarantineWith(plan: FaultPlan): Promise<boolean> {
  const head = records[STEPS - 1] as CheckpointRecord;
  const spoilt = flipped(fs.readFileSync(path.join(original(), head.blob)), 0.5);
  return withDirectory(async (directory) => {
    const dataDir = path.join(directory, "data");
    fs.cpSync(original(), dataDir, { recursive: true });
    fs.writeFileSync(path.join(dataDir, head.blob), spoilt);
    const faults = new Faults();
    const load = async (store: TestStore): Promise<string> => {
      faults.arm(plan);
      const outcome = await store.load().then(
        ({ record }) => record.id,
        (error: unknown) => (isWorkrailError(error) ? error.code : String(error)),
      );
      faults.disarm();
      return outcome;
    };
    const outcome = await withOpened(dataDir, load, { fs: withFaults(nodeFileSystem, faults, { throws: true }) });
    expect([`step-${STEPS - 1}`, "STORAGE_UNAVAILABLE"]).toContain(outcome);
    await withOpened(dataDir, async (store) => {
      expect(await store.load()).toMatchObject({ context: { step: STEPS - 1 }, fellBackFrom: [{ checkpointId: head.id }] });
      expect(await failureOf(store.load({ checkpointId: head.id }))).toMatchObject({ code: "CHECKPOINT_CORRUPT" });
      expect((await store.verify()).findings).toMatchObject([{ kind: "marked", checkpointId: head.id }]);
    });
    expect(fs.readFileSync(path.join(dataDir, "quarantine", head.blob))).toEqual(spoilt);
    return faults.struck;
  });
}

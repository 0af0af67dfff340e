import fs from "node:fs";
import path from "node:path";
import type { CheckpointId, SessionId } from "@workrail/core";
import { tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsIn } from "./open-database.ts";
import { SESSION, type TestStore, withDirectory, withOpened } from "./test-store.ts";

const FLIPS = Number(process.env["WORKRAIL_FLIPS"] ?? 40);
const OTHER = "other" as SessionId;
/**
 * Data with checksums, and data that is derived from it. The audit log is only counted: its chain proves it, and a rebuild does not
 * keep it.
 */
const READS = {
  sessions: "SELECT * FROM session",
  checkpoints: "SELECT * FROM checkpoint",
  tags: "SELECT * FROM checkpoint_tag",
  edges: "SELECT * FROM edge",
  // Columns by name: the query fails when a column's name is damaged, as all other readers do.
  trash: "SELECT session_id, id, blob, blob_bytes, trashed_at, record FROM trashed",
  totals: "SELECT * FROM checkpoint_total",
  bytes: "SELECT * FROM state WHERE key IN ('live_bytes', 'trash_bytes')",
  log: "SELECT count(*) FROM audit",
};

type Tables = Readonly<Record<string, readonly unknown[]>>;

let folder: string;
let right: Tables;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(fs.realpathSync(process.env["TMPDIR"] ?? "/tmp"), "workrail-mend-"));
  const dataDir = path.join(folder, "data");
  await withOpened(dataDir, async (store) => {
    for (let step = 1; step <= 12; step++) {
      const context = { step, plan: Array.from({ length: 20 + step }, (_, line) => `${line * step} of the plan`) };
      const metadata = { name: `step ${step}`, tags: [`tag-${step}`], project: "/a/project", agentId: "agent" };
      await store.save(context, { checkpointId: idOf(step), sessionId: step % 3 === 0 ? OTHER : SESSION, ...metadata });
    }
    await store.pin("plan");
    await store.compact();
    const accesses = [{ checkpointId: idOf(4), at: new Date(Date.now() + 60_000) }];
    const move = { sessionId: SESSION, checkpoints: [idOf(5)], from: "live", to: "trash", at: new Date(), reason: "for a test" } as const;
    await store.storage.catalog.commit({ accesses, audit: [] });
    await store.storage.catalog.commit({ move, audit: [] });
  });
  right = tablesOf(path.join(dataDir, "workrail.db"));
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe("one flipped bit in a catalog", () => {
  it("is mended in place beside other openers, with the audit log and all times, or else requires a rebuild", () =>
    withDirectory(async (directory) => {
      const size = fs.statSync(path.join(folder, "data", "workrail.db")).size;
      const ended = { right: 0, mended: 0, beyond: 0 };
      const wrong: unknown[] = [];
      for (let index = 0; index < FLIPS; index++) {
        const dataDir = path.join(directory, String(index));
        fs.cpSync(path.join(folder, "data"), dataDir, { recursive: true });
        const at = Math.floor(((index + 0.5) / FLIPS) * size);
        flip(path.join(dataDir, "workrail.db"), at, index % 8);
        const end = await endOf(dataDir);
        ended[end.how]++;
        if (end.wrong !== undefined) wrong.push({ at, ...end });
        fs.rmSync(dataDir, { recursive: true });
      }
      tally({ tries: FLIPS, wrong: wrong.length });
      if (process.env["WORKRAIL_FLIPS"] !== undefined) process.stderr.write(`${JSON.stringify(ended)}\n`);
      expect(wrong).toEqual([]);
      expect(ended.mended).toBeGreaterThan(FLIPS / 8);
    }));
});

interface End {
  readonly how: "right" | "mended" | "beyond";
  readonly wrong?: unknown;
}

async function endOf(dataDir: string): Promise<End> {
  const said: string[] = [];
  const note = (message: string): void => void said.push(message);
  const log = { debug: ignore, info: ignore, warn: note, error: note };
  try {
    return await withOpened(
      dataDir,
      async (store) => {
        if (await store.storage.recovery.needsRebuild()) return { how: "beyond" };
        await readAll(store);
        const found = tablesOf(path.join(dataDir, "workrail.db"));
        const wrong = Object.keys(READS).filter((name) => JSON.stringify(found[name]) !== JSON.stringify(right[name]));
        const how = said.some((message) => message.includes("mended")) ? "mended" : "right";
        return { how, ...(wrong.length > 0 && { wrong: wrong.map((name) => ({ name, found: found[name] })) }) };
      },
      { log },
    );
  } catch (error) {
    return { how: "beyond", ...(!(error instanceof Error && "code" in error) && { wrong: String(error) }) };
  }
}

function ignore(): void {}

async function readAll(store: TestStore): Promise<void> {
  const { catalog } = store.storage;
  await catalog.list({ filter: {}, limit: 100, offset: 0 });
  await catalog.sessions({ limit: 100 });
  await catalog.trash({ limit: 100 });
}

function idOf(step: number): CheckpointId {
  return `step-${step}` as CheckpointId;
}

function flip(file: string, at: number, bit: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  fs.writeFileSync(file, bytes);
}

function tablesOf(file: string): Tables {
  return Object.fromEntries(Object.entries(READS).map(([name, sql]) => [name, rowsIn(file, sql)]));
}

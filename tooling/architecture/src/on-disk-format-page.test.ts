import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gunzipSync } from "node:zlib";
import { MemoryTables } from "@workrail/core";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allEntries } from "../../../packages/files-catalog/src/journal-entries.ts";
import { markedBlock, plain, readPage, sectionOf, tableOf } from "./markdown.ts";

const page = readPage("docs/reference/on-disk-format.md");

/** Ids whose files have other names, and keys and texts that are easily altered in a round trip. */
const CONTEXTS: readonly (readonly [sessionId: string, context: object])[] = [
  ["plain", { b: 1, a: { 2: "two", 10: "ten" } }],
  ["Demo", { "\ud800": "lone \udfff", "line\nfeed": "\u2028", empty: {} }],
  ["con", JSON.parse(`{"__proto__":{"deep":[null,true,-1.5e-7]},"a/b~c":"ü"}`) as object],
  ["plain", { a: 2 }],
  ["plain", { a: 3 }],
  ["plain", {}],
];

/** Returns a step of a long session, which is stored as deltas of every kind. */
function grownContext(step: number): object {
  const history = Array.from({ length: 20 + step }, (_, index) => ({ index, said: noise(index) }));
  const notes = Array.from({ length: 30 }, (_, line) => `${line === step ? "changed " : ""}line ${line} ${noise(line)}\n`).join("");
  const order = step % 2 === 0 ? { first: step, second: 0 } : { second: 0, first: step };
  return {
    ...order,
    history,
    notes,
    last: history.at(-1)?.said,
    [`key/${step}~`]: step % 3 === 0 ? [step, "x"] : { step },
    same: step > 6,
  };
}

/** Returns text that hardly compresses, always the same for a seed. */
function noise(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 30 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state.toString(36);
  }).join(" ");
}

describe("docs/reference/on-disk-format.md", () => {
  let dataDir: string;
  let store: Workrail;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "workrail-format-"));
    // Two of the session's four checkpoints stay, so that there are removals.
    store = await openWorkrail({ dataDir, env: {}, project: "/home/ada/shop", limits: { maxCheckpoints: 2 } });
    const metadata = { name: "a name", tags: ["one", "two"], agentId: "agent", attributes: { ticket: 7 } };
    for (const [sessionId, context] of CONTEXTS) {
      await store.saveCheckpoint({ sessionId, context, metadata, workflowId: "work", force: true });
    }
    await store.saveCheckpoint({ sessionId: "Demo", context: { kind: "another" }, kind: "project" });
    await store.markCritical({ sessionId: "Demo", contextKey: "kind" });
    for (let step = 1; step <= 12; step++) await store.saveCheckpoint({ sessionId: "grown", context: grownContext(step), kind: "project" });
    // Closing completes the work that is postponed after the answers.
    await store.close();
    store = await openWorkrail({ dataDir, env: {}, limits: { maxCheckpoints: 2 } });
  });

  afterAll(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("has a reader that reads saved contexts, including the order of keys", async () => {
    const script = join(dataDir, "read-store.mjs");
    writeFileSync(script, markedBlock(page, "read-store.mjs"));
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, dataDir], { encoding: "utf8" });
    rmSync(script);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const read = new Map(stdout.split("\n").filter(Boolean).map(readLine));
    const { checkpoints } = await store.findCheckpoints({ project: null });
    expect(checkpoints).toHaveLength(17);
    expect([...read.values()].filter((checkpoint) => checkpoint["base"] !== undefined).length).toBeGreaterThan(4);
    for (const { id, sessionId, kind } of checkpoints) {
      const { context } = await store.loadCheckpoint({ checkpointId: id });
      const found = read.get(id);
      expect(found?.["session"]).toBe(sessionId);
      expect(found?.["kind"] ?? "workflow").toBe(kind);
      expect(JSON.stringify(found?.["context"])).toBe(JSON.stringify(context));
    }
  });

  it("has every field of an envelope, and no other", () => {
    const written = new Set(
      globSync("contexts/*/*.json.gz", { cwd: dataDir }).flatMap((name) => {
        const file = JSON.parse(gunzipSync(readFileSync(join(dataDir, name))).toString()) as { readonly envelope?: object };
        return Object.keys(file.envelope ?? file).filter((field) => !["workrail", "check", "delta"].includes(field));
      }),
    );
    const told = tableOf(sectionOf(page, "### The envelope")).map(([field]) => plain(field));
    expect(told.filter((field) => !written.has(field))).toEqual([]);
    expect([...written].filter((field) => !told.includes(field))).toEqual([]);
  });

  it("has every field of a session's file", () => {
    const [name = ""] = globSync("contexts/demo*/metadata.json", { cwd: dataDir });
    const written = Object.keys(JSON.parse(readFileSync(join(dataDir, name), "utf8")) as object);
    // Here no erasure, trash or handle exists.
    expect(tableOf(sectionOf(page, "## A session's file")).map(([field]) => plain(field))).toEqual([
      ...written,
      "erasing",
      "trash",
      "shields",
    ]);
  });

  it("gives the names of files", () => {
    const names = globSync("contexts/*", { cwd: dataDir }).map((name) => name.replaceAll("\\", "/").slice("contexts/".length));
    expect(names.toSorted()).toEqual(["con_.1143da2b", "demo.8a2cc067", "grown", "plain"]);
    expect(page.text).toContain("`demo.8a2cc067`");
    expect(page.text).toContain("`con_.1143da2b`");
  });

  it("has every field of the journal, and says how its check is made", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "workrail-format-"));
    const filesOnly = await openWorkrail({ dataDir: elsewhere, env: { WORKRAIL_SQLITE_DRIVER: "none" } });
    await filesOnly.saveCheckpoint({ sessionId: "plain", context: { a: 1 } });
    await filesOnly.close();
    const [line = ""] = readFileSync(join(elsewhere, "catalog.jsonl"), "utf8").split("\n");
    rmSync(elsewhere, { recursive: true, force: true });
    const [, check, change = ""] = /^\{"check":"(\w+)","change":(.*)\}$/.exec(line) ?? [];
    expect(hash("sha256", change).slice(0, 16)).toBe(check);
    const told = tableOf(sectionOf(page, "## The journal")).map(([field]) => plain(field));
    expect(told).toEqual(["format", "revision", ...Object.keys(allEntries(new MemoryTables(() => false)))]);
    expect(Object.keys(JSON.parse(change) as object).filter((field) => !told.includes(field))).toEqual([]);
  });

  it("has every column of every table, in its order", () => {
    const database = new DatabaseSync(join(dataDir, "workrail.db"), { readOnly: true });
    const columns = database.prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid`,
    );
    const tables = Map.groupBy(columns.all() as { table: string; column: string }[], ({ table }) => table);
    const version = database.prepare("PRAGMA user_version").get()?.["user_version"];
    database.close();
    expect(tables.size).toBeGreaterThan(7);
    for (const [table, rows] of tables) {
      const told = tableOf(sectionOf(page, `### ${table}`)).map(([column]) => plain(column));
      expect(told, table).toEqual(rows.map(({ column }) => column));
    }
    expect(page.text).toContain(`\`user_version\` ${String(version)}`);
  });
});

function readLine(line: string): readonly [id: string, checkpoint: Readonly<Record<string, unknown>>] {
  const checkpoint = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return [String(checkpoint["id"]), checkpoint];
}

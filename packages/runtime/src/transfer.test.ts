import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import { type Clock, parseJson } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openWorkrail } from "./open-workrail.ts";
import type { Workrail } from "./workrail.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";

let folder: string;
let opened: Workrail[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "workrail-transfer-"));
  opened = [];
});

afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const clock: Clock = { now: () => new Date("2026-01-31T12:00:00.000Z") };

async function open(name: string, isInMemory = false): Promise<Workrail> {
  const storage = isInMemory ? { storage: () => openMemoryStorage() } : {};
  const store = await openWorkrail({ dataDir: path.join(folder, name), project: "/p", env: {}, adapters: { clock, ...storage } });
  opened.push(store);
  return store;
}

const read = (file: string): string => readFileSync(file, "utf8");

it("an export that the disk did not make durable leaves no file, and can be repeated", async () => {
  const store = await open("a");
  await store.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
  const file = path.join(folder, "s.json");
  const sync = vi.spyOn(nodeFileSystem, "syncDirectory").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
  });
  await expect(store.exportSession("s", { file })).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    details: { path: file, errno: "ENOSPC" },
  });
  sync.mockRestore();
  expect(readdirSync(folder)).toEqual(["a"]);
  await store.exportSession("s", { file });
  expect(readdirSync(folder).toSorted()).toEqual(["a", "s.json"]);
});

it("an aborted export leaves the complete files, and nothing of the unfinished one", async () => {
  const store = await open("a");
  for (const sessionId of ["s", "t"]) for (const n of [1, 2, 3]) await store.saveCheckpoint({ sessionId, context: { n } });
  const controller = new AbortController();
  const onProgress = ({ done }: { done: number }): void => {
    if (done === 4) controller.abort(new Error("enough"));
  };
  const to = path.join(folder, "exports");
  await expect(store.exportAll(to, { onProgress, signal: controller.signal })).rejects.toThrow("enough");
  expect(readdirSync(to)).toEqual(["t-2026-01-31.json"]);
  await expect(store.exportSession("s", { file: path.join(to, "s.json"), signal: controller.signal })).rejects.toThrow("enough");
  expect(readdirSync(to)).toEqual(["t-2026-01-31.json"]);
});

describe("the progress", () => {
  it("of an export is reported by checkpoints, for one session and for all", async () => {
    const store = await open("a");
    for (const n of [1, 2]) await store.saveCheckpoint({ sessionId: "s", context: { n } });
    await store.saveCheckpoint({ sessionId: "t", context: { n: 1 } });
    const told: string[] = [];
    const onProgress = ({ done, total }: { done: number; total: number }): void => void told.push(`${done}/${total}`);
    await store.exportSession("s", { onProgress });
    expect(told.splice(0)).toEqual(["1/2", "2/2"]);
    await store.exportAll(undefined, { onProgress });
    expect(told).toEqual(["1/3", "2/3", "3/3"]);
  });

  it("of an import is reported by the bytes of its file, which is verified and then written", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", context: { long: "ä".repeat(50_000) } });
    const { file, sizeBytes } = await store.exportSession("s");
    const told: { phase: string; done: number; total: number }[] = [];
    const target = await open("b");
    await target.importFile(file, { dryRun: true, onProgress: (progress) => told.push(progress) });
    expect(told.map(({ phase }) => phase)).toEqual(["prove", "prove"]);
    await target.importFile(file, { onProgress: (progress) => told.push(progress) });
    expect(told.slice(2).map(({ phase }) => phase)).toEqual(["prove", "prove", "write", "write"]);
    for (const [index, { done, total }] of told.entries()) {
      expect(total).toBe(sizeBytes);
      expect(index % 2 === 0 ? done < total : done === total).toBe(true);
    }
  });
});

describe("an export", () => {
  it("is a file in the data directory, named by workflow and date, readable by its owner only, and never replaced", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", workflowId: "../my flow/", context: { n: 1 } });
    await store.saveCheckpoint({ sessionId: "plain", context: { n: 1 } });
    const names = [];
    for (const sessionId of ["s", "s", "plain", "s"]) {
      const { file, sizeBytes } = await store.exportSession(sessionId);
      names.push(path.relative(path.join(folder, "a", "exports"), file));
      expect(statSync(file).size).toBe(sizeBytes);
      // Node does not report the permissions of Windows.
      expect(process.platform === "win32" ? 0 : statSync(file).mode & 0o077).toBe(0);
    }
    const stem = "my_flow-2026-01-31";
    expect(names).toEqual([`${stem}.json`, `${stem}-2.json`, "plain-2026-01-31.json", `${stem}-3.json`]);
    expect(readdirSync(path.join(folder, "a", "exports")).toSorted()).toEqual(names.toSorted());
  });

  it("is named by the newest workflow of its session, alone or with all others", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", workflowId: "release", context: { n: 1 } });
    await store.saveCheckpoint({ sessionId: "s", workflowId: "deploy", context: { n: 2 } });
    await store.saveCheckpoint({ sessionId: "t", workflowId: "deploy", context: { n: 1 } });
    await store.saveCheckpoint({ sessionId: "plain", context: { n: 1 } });
    expect(path.basename((await store.exportSession("s")).file)).toBe("deploy-2026-01-31.json");
    const { exports } = await store.exportAll(path.join(folder, "all"));
    const named = exports.map(({ sessionId, file }) => [sessionId, path.basename(file).replace(/-2\.json$/u, ".json")]);
    expect(Object.fromEntries(named)).toEqual({
      plain: "plain-2026-01-31.json",
      s: "deploy-2026-01-31.json",
      t: "deploy-2026-01-31.json",
    });
    expect(readdirSync(path.join(folder, "all")).toSorted()).toEqual([
      "deploy-2026-01-31-2.json",
      "deploy-2026-01-31.json",
      "plain-2026-01-31.json",
    ]);
  });

  it("is written to the given place, and replaces nothing there", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    const file = path.join(folder, "mine.json");
    expect((await store.exportSession("s", { file })).file).toBe(file);
    const before = read(file);
    await store.saveCheckpoint({ sessionId: "s", context: { n: 2 } });
    await expect(store.exportSession("s", { file })).rejects.toMatchObject({ code: "INVALID_INPUT", details: { path: file } });
    expect(read(file)).toBe(before);
    const nowhere = path.join(folder, "none", "x.json");
    await expect(store.exportSession("s", { file: nowhere })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { errno: "ENOENT" },
    });
    expect(readdirSync(folder).toSorted()).toEqual(["a", "mine.json"]);
  });

  it.skipIf(process.platform === "win32")("follows no link in the data directory, and refuses a file in place of its folder", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    const own = path.join(folder, "a", "exports");
    symlinkSync(folder, own);
    await expect(store.exportSession("s")).rejects.toMatchObject({ code: "INVALID_INPUT", details: { path: own } });
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    await expect(store.exportAll(file)).rejects.toMatchObject({ code: "INVALID_INPUT", details: { path: file, errno: "EEXIST" } });
    expect(readdirSync(folder).toSorted()).toEqual(["a", "file"]);
  });

  it("that fails leaves no file", async () => {
    const store = await open("a");
    await expect(store.exportSession("none", { file: path.join(folder, "x.json") })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  it("of a store without a directory needs a target", async () => {
    const store = await open("a", true);
    await store.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    await expect(store.exportSession("s")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const { file } = await store.exportSession("s", { file: path.join(folder, "s.json") });
    let text = "";
    for await (const piece of store.exportText("s")) text += piece;
    expect(text).toBe(read(file));
  });

  it("of all sessions writes a file for each, and reports unreadable checkpoints", async () => {
    const store = await open("a");
    for (const sessionId of ["one", "two", "three"])
      await store.saveCheckpoint({ sessionId, checkpointId: `c-${sessionId}`, context: { sessionId } });
    writeFileSync(path.join(folder, "a", "contexts", "two", "c-two.json.gz"), "damaged");
    const target = path.join(folder, "all");
    const { exports } = await store.exportAll(target);
    const damaged = [{ checkpointId: "c-two", code: "CHECKPOINT_CORRUPT" }];
    expect(exports.map(({ sessionId, unreadable }) => [sessionId, unreadable])).toEqual([
      ["three", []],
      ["two", damaged],
      ["one", []],
    ]);
    expect(readdirSync(target).toSorted()).toEqual(["one-2026-01-31.json", "three-2026-01-31.json", "two-2026-01-31.json"]);
  });

  it("removes old leftovers of an interrupted export, and nothing else, when the store is opened or exports again", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    await store.exportSession("s");
    const own = path.join(folder, "a", "exports");
    const leave = (name: string, days: number): void => {
      writeFileSync(path.join(own, name), "");
      const at = new Date(clock.now().getTime() - days * 86_400_000);
      utimesSync(path.join(own, name), at, at);
    };
    leave(".tmp-export-1-0123456789abcdef", 8);
    leave(".tmp-export-2-0123456789abcdef", 6);
    leave("mine.json", 100);
    await store.exportSession("s");
    const stem = "s-2026-01-31";
    const left = [".tmp-export-2-0123456789abcdef", "mine.json", `${stem}-2.json`, `${stem}.json`];
    expect(readdirSync(own).toSorted()).toEqual(left);
    leave(".tmp-export-3-0123456789abcdef", 8);
    await (await open("a")).close();
    expect(readdirSync(own).toSorted()).toEqual(left);
  });

  it.skipIf(process.platform === "win32")("lets the next opening restrict the data directory to its owner", async () => {
    const store = await open("a");
    await store.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    await store.exportSession("s");
    await store.close();
    chmodSync(path.join(folder, "a"), 0o755);
    await open("a");
    expect(statSync(path.join(folder, "a")).mode & 0o777).toBe(0o700);
  });
});

describe("an import of a file", () => {
  it("restores contexts of any storage exactly in any other", async () => {
    let run = 0;
    const sources = { disk: await open("from"), memory: await open("from-memory", true) };
    const targets = { disk: await open("to"), memory: await open("to-memory", true) };
    const kind = fc.constantFrom("disk", "memory");
    const label = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    const checkpoint = fc.record({
      context: fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ stringUnit: anyCharacter })),
      metadata: fc.record({ name: label, tags: fc.array(label, { maxLength: 3 }), attributes: fc.record({ more: fc.jsonValue() }) }),
      kind: fc.constantFrom("workflow", "project", "conversation", "aside"),
      agentId: fc.option(label, { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(checkpoint, { minLength: 1, maxLength: 8 }), kind, kind, async (all, from, to) => {
        run += 1;
        const [source, target, sessionId] = [sources[from], targets[to], `S${run}`];
        for (const each of all) {
          await source.saveCheckpoint({
            sessionId,
            force: true,
            ...each,
            context: parseJson(JSON.stringify(each.context)) as object,
          });
        }
        const [first, second] = [path.join(folder, `${run}.json`), path.join(folder, `${run}-again.json`)];
        await source.exportSession(sessionId, { file: first });
        expect(await target.importFile(first)).toMatchObject({ added: all.length, file: first, dryRun: false });
        await target.exportSession(sessionId, { file: second });
        expect(read(second)).toBe(read(first));
        const { checkpoints } = parseJson(read(first)) as unknown as { checkpoints: { context: object }[] };
        const given = all.map(({ context }) => JSON.stringify(parseJson(JSON.stringify(context))));
        expect(checkpoints.map(({ context }) => JSON.stringify(context))).toEqual(given);
      }),
      { numRuns: 25 },
    );
  });

  it("survives the loss of the catalog", async () => {
    const source = await open("a");
    for (const n of [1, 2, 3, 4]) await source.saveCheckpoint({ sessionId: "s", context: { n, plan: "x" } });
    await source.markCritical({ sessionId: "s", contextKey: "plan" });
    const { file } = await source.exportSession("s", { file: path.join(folder, "s.json") });
    const target = await open("b");
    await target.importFile(file);
    await target.rebuildCatalog();
    expect(read((await target.exportSession("s")).file)).toBe(read(file));
  });

  it("reports its effect, and changes nothing, in a dry run", async () => {
    const source = await open("a");
    await source.saveCheckpoint({ sessionId: "s", context: { n: 1 } });
    const { file } = await source.exportSession("s");
    const target = await open("b");
    expect(await target.importFile(file, { dryRun: true })).toMatchObject({ added: 1, dryRun: true });
    expect(await target.findCheckpoints({ sessionId: "s" })).toMatchObject({ total: 0 });
  });

  it.each([
    ["that is not there", undefined],
    ["that is not UTF-8", Buffer.from([0x7b, 0xff])],
    ["that is no export", Buffer.from("[]")],
    ["that is empty", Buffer.from("")],
  ])("%s is refused", async (_name, bytes) => {
    const file = path.join(folder, "x.json");
    if (bytes !== undefined) writeFileSync(file, bytes);
    await expect((await open("a")).importFile(file)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("ignores a byte order mark", async () => {
    const source = await open("a");
    await source.saveCheckpoint({ sessionId: "s", context: { n: "ü" } });
    const { file } = await source.exportSession("s");
    writeFileSync(file, `\ufeff${read(file)}`);
    expect(await (await open("b")).importFile(file)).toMatchObject({ added: 1 });
  });
});

import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { keyFromEnvironment } from "@workrail/keychain-crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sealAnew, sealedKeys } from "../src/sealing/convert.ts";
import {
  describeStore,
  filesBelow,
  NO_WISH,
  OPENERS,
  openWith,
  placesOf,
  portsOf,
  saveSome,
  PLANTED,
  WISH,
  withRaw,
} from "./sealed-stores.ts";

const CORRUPT = { code: "CHECKPOINT_CORRUPT" };
const UNAVAILABLE = { code: "KEY_UNAVAILABLE" };

let folder: string;
let dataDir: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "workrail-sealing-"));
  dataDir = path.join(folder, "data");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A sealed store trusts no data of an attacker who can write to the disk but has no key. */
describe.each(Object.entries(OPENERS))("a sealed store on %s refuses", (_name, openRaw) => {
  it.each<[string, (file: string, other: string, clear: string) => void]>([
    ["of another session", (file, other) => cpSync(other, file)],
    ["that is cut", (file) => writeFileSync(file, readFileSync(file).subarray(0, -1))],
    ["that is empty", (file) => writeFileSync(file, "")],
    ["that has something behind it", (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.of(0)]))],
    ["with one bit of its salt changed", (file) => flip(file, 20)],
    ["with one bit of its text changed", (file) => flip(file, 60)],
    ["with one bit of its end changed", (file) => flip(file, -1)],
    ["in clear", (file, _other, clear) => cpSync(clear, file)],
  ])("a checkpoint's file %s", async (_what, plant) => {
    const clear = await aFileInClear();
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const [one, other] = [await saveSome(store, 1, "s"), await saveSome(store, 1, "t")];
    await store.close();
    plant(fileOf(one), fileOf(other), clear);
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    await expect(again.loadCheckpoint({ checkpointId: one })).rejects.toMatchObject(CORRUPT);
    expect(await again.loadCheckpoint({ checkpointId: other })).toMatchObject({ sessionId: "t" });
    await again.close();
  });

  it("a checkpoint's file of another checkpoint of the session", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const ids = [await saveSome(store, 1), await saveSome(store, 2)];
    await store.close();
    renameSync(fileOf(ids[0] as string), fileOf(ids[1] as string));
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    await expect(again.loadCheckpoint({ checkpointId: ids[1] })).rejects.toMatchObject(CORRUPT);
    await again.close();
  });

  it("an older file of the checkpoint in place of the newer one", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const text = randomBytes(8_000).toString("base64");
    const save = async (step: number): Promise<string> =>
      (await store.saveCheckpoint({ sessionId: "s", context: { text, step } })).checkpointId;
    const id = await save(0);
    const older = readFileSync(fileOf(id));
    for (let step = 1; step < 5; step++) await save(step);
    // Wait until the older checkpoint is a difference to the next one.
    await vi.waitFor(() => expect(readFileSync(fileOf(id)).length).toBeLessThan(older.length / 2), { timeout: 60_000 });
    await store.close();
    writeFileSync(fileOf(id), older);
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    const found = await again.loadCheckpoint({ checkpointId: id }).then(
      ({ context }) => context,
      (error: unknown) => error,
    );
    expect([{ text, step: 0 }, expect.objectContaining(CORRUPT)]).toContainEqual(found);
    await again.close();
  });

  it("a file from before resealing, with its session's key or without", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const id = await saveSome(store, 1);
    await store.close();
    const session = path.dirname(fileOf(id));
    const [old, anew] = [path.join(folder, "old"), path.join(folder, "anew")];
    cpSync(session, old, { recursive: true });
    const now = { ...WISH, key: "7".repeat(64) };
    const change = { from: keyFromEnvironment(WISH.key as string), to: keyFromEnvironment(now.key) };
    await withRaw(openRaw, dataDir, (raw, keyFiles) => sealAnew({ storage: raw, keyFiles, ports: portsOf(dataDir) }, change));
    cpSync(session, anew, { recursive: true });
    const load = async (): Promise<unknown> => {
      const again = await openWith(openRaw, dataDir, { sealing: now });
      try {
        return await again.loadCheckpoint({ checkpointId: id });
      } finally {
        await again.close();
      }
    };
    cpSync(old, session, { recursive: true });
    await expect(load()).rejects.toMatchObject(UNAVAILABLE);
    cpSync(anew, session, { recursive: true });
    expect(await load()).toMatchObject({ context: { [`${PLANTED}-key`]: `${PLANTED} 0` } });
    cpSync(path.join(old, path.basename(fileOf(id))), fileOf(id));
    await expect(load()).rejects.toMatchObject(CORRUPT);
  });

  it("swapped keys of sessions, and quarantines nothing", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const ids = [await saveSome(store, 1, "s"), await saveSome(store, 1, "t")];
    await store.close();
    const keys = ids.map((id) => path.join(path.dirname(fileOf(id)), "session.key"));
    const swap = (): void => {
      for (const copy of ["", ".copy"]) {
        const [one, other] = keys.map((key) => readFileSync(key + copy));
        writeFileSync(keys[0] + copy, other as Buffer);
        writeFileSync(keys[1] + copy, one as Buffer);
      }
    };
    swap();
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    for (const checkpointId of ids) await expect(again.loadCheckpoint({ checkpointId })).rejects.toMatchObject(UNAVAILABLE);
    await again.close();
    swap();
    const right = await openWith(openRaw, dataDir, { sealing: WISH });
    for (const checkpointId of ids)
      expect(await right.loadCheckpoint({ checkpointId })).toMatchObject({ context: expect.any(Object) as object });
    await right.close();
  });

  it("to count as unencrypted, or to get a new key, when its keyring is missing", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 3);
    const before = await describeStore(store);
    await store.close();
    const keyrings = filesBelow(dataDir).filter((file) => file.includes("keyring.json"));
    for (const file of keyrings) renameSync(file, `${file}.gone`);
    const refuse = async (): Promise<void> => {
      for (const wish of [WISH, NO_WISH, { ...WISH, encryption: "disabled" as const }]) {
        await expect(openWith(openRaw, dataDir, { sealing: wish })).rejects.toMatchObject({
          ...UNAVAILABLE,
          details: { reason: "keyring-missing" },
        });
      }
      const sealing = withRaw(openRaw, dataDir, (raw, keyFiles) => sealedKeys({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH));
      await expect(sealing).rejects.toMatchObject(UNAVAILABLE);
    };
    await refuse();
    for (const name of catalogFiles()) renameSync(path.join(dataDir, name), path.join(dataDir, `kept-${name}`));
    await refuse();
    for (const name of catalogFiles()) rmSync(path.join(dataDir, name));
    for (const name of readdirSync(dataDir).filter((each) => each.startsWith("kept-"))) {
      renameSync(path.join(dataDir, name), path.join(dataDir, name.slice(5)));
    }
    for (const file of keyrings) renameSync(`${file}.gone`, file);
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    expect(await describeStore(again)).toEqual(before);
    await again.close();
    expect(existsSync(path.join(dataDir, "quarantine"))).toBe(false);
  });

  it("to count as unencrypted without its keyring, even if the newest session's key cannot be read", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 1, "older");
    await saveSome(store, 1, "newest");
    await store.close();
    for (const file of filesBelow(dataDir).filter((each) => each.includes("keyring.json"))) rmSync(file);
    rmSync(path.join(dataDir, "contexts", "newest"), { recursive: true });
    writeFileSync(path.join(dataDir, "contexts", "newest"), "a stray file");
    const refuse = (): Promise<void> =>
      expect(openWith(openRaw, dataDir, { sealing: NO_WISH })).rejects.toMatchObject({
        ...UNAVAILABLE,
        details: { reason: "keyring-missing" },
      });
    await refuse();
    for (const name of catalogFiles()) rmSync(path.join(dataDir, name));
    await refuse();
  });

  it.each(["sealing", "clear", "unsealing"])("a keyring changed to %s without the key, and a planted file", async (state) => {
    const clear = await aFileInClear();
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const id = await saveSome(store, 1);
    await store.close();
    cpSync(clear, fileOf(id));
    for (const file of filesBelow(dataDir).filter((each) => each.includes("keyring.json"))) {
      const { workrailKeyring, check: _check, ...keyring } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
      const planted = { ...keyring, state };
      const check = createHash("sha256").update(JSON.stringify(planted)).digest("hex").slice(0, 16);
      writeFileSync(file, JSON.stringify({ workrailKeyring, check, ...planted }));
    }
    for (const wish of [WISH, NO_WISH]) await expect(openWith(openRaw, dataDir, { sealing: wish })).rejects.toMatchObject(UNAVAILABLE);
  });

  it("an unencrypted catalog, and ignores it in a rebuild", async () => {
    const kept = path.join(folder, "clear");
    const clear = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    await saveSome(clear, 2);
    await clear.tagSession({ sessionId: "s", add: ["planted-tag"] });
    await clear.close();
    cpSync(dataDir, kept, { recursive: true });
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await store.tagSession({ sessionId: "s", remove: ["planted-tag"], add: ["own-tag"] });
    await store.close();
    for (const name of catalogFiles()) rmSync(path.join(dataDir, name));
    for (const name of readdirSync(kept).filter(isOfCatalog)) cpSync(path.join(kept, name), path.join(dataDir, name));
    cpSync(path.join(kept, "contexts/s/metadata.json"), path.join(dataDir, "contexts/s/metadata.json"));
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    await expect(again.findCheckpoints({ project: null })).rejects.toMatchObject(CORRUPT);
    await again.rebuildCatalog();
    expect((await again.findCheckpoints({ project: null })).total).toBe(2);
    expect((await again.findCheckpoints({ project: null, tags: ["planted-tag"] })).total).toBe(0);
    await again.close();
    // Except the planted catalog, which was put aside.
    expect(placesOf(PLANTED, dataDir).filter((file) => !file.includes("replaced-"))).toEqual([]);
  });

  /** Returns a checkpoint's file from a store in clear that is removed afterwards. */
  async function aFileInClear(): Promise<string> {
    const store = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    const id = await saveSome(store, 1);
    await store.close();
    const copy = path.join(folder, "clear.json.gz");
    cpSync(fileOf(id), copy);
    rmSync(dataDir, { recursive: true });
    return copy;
  }
});

function fileOf(checkpointId: string): string {
  return filesBelow(dataDir).find((file) => file.includes(`${path.sep}contexts${path.sep}`) && file.includes(checkpointId)) as string;
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

function isOfCatalog(name: string): boolean {
  return /^(?:workrail\.db|catalog\.jsonl)/u.test(name);
}

function catalogFiles(): readonly string[] {
  return readdirSync(dataDir).filter(isOfCatalog);
}

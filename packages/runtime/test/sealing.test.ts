import { randomBytes } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { gzipCodec } from "@workrail/codecs";
import { DEFAULT_LIMITS, type KeyFiles, type Storage } from "@workrail/core";
import { openFilesStorage } from "@workrail/files-catalog";
import { nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { Faults, withFaults } from "@workrail/storage-conformance/harness";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeDigests, systemClock } from "../src/environment.ts";
import { openStore } from "../src/open-store.ts";
import { convert } from "../src/sealing/protect-storage.ts";
import type { SealingSettings } from "../src/sealing/sealing-settings.ts";
import { readSettings } from "../src/settings.ts";
import type { Store } from "../src/store.ts";

const SECRET = "planted-7f3a9c-secret";
const KEY = randomBytes(32).toString("base64");
const WISH: SealingSettings = {
  encryption: "enabled",
  key: KEY,
  keyFile: undefined,
  passphrase: undefined,
  recoveryKey: undefined,
  allowPlaintextFiles: false,
};
/** Every so many-th file operation is tried; `npm run test:faults` tries each. */
const STRIDE = Number(process.env["WORKRAIL_CONFORMANCE_STRIDE"] ?? 17);
const PORTS = { codec: gzipCodec, digests: nodeDigests, clock: systemClock, limits: DEFAULT_LIMITS };

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "workrail-sealing-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

const OPENERS = {
  "sqlite-fs": (fs = nodeFileSystem) => openSqliteFs({ dataDir, lockWaitMs: 500, fs }),
  files: (fs = nodeFileSystem) => openFilesStorage({ dataDir, lockWaitMs: 500, fs }),
};

describe.each(Object.entries(OPENERS))("a sealed store on %s", (_name, openRaw) => {
  it("has what was saved nowhere in clear, and gives it back", async () => {
    const store = await openWith(openRaw, WISH);
    const id = await saveSome(store, 4);
    await store.markCritical({ sessionId: "s", contextKey: `${SECRET}-key` });
    await store.close();
    expect(placesOf(SECRET)).toEqual([]);
    expect(placesOf("agent-of-")).toEqual([]);
    const again = await openWith(openRaw, { ...WISH, encryption: undefined });
    expect(await again.loadCheckpoint({ checkpointId: id })).toMatchObject({
      context: { [`${SECRET}-key`]: `${SECRET} 3` },
      metadata: { name: `${SECRET} name 3`, tags: [`${SECRET}-tag`], agentId: `agent-of-${SECRET}`, criticalKeys: [`${SECRET}-key`] },
    });
    expect((await again.findCheckpoints({ tags: [`${SECRET}-tag`] })).total).toBe(4);
    expect((await again.findCheckpoints({ name: "NAME 2" })).total).toBe(1);
    expect((await again.searchCheckpoints({ query: `"line 7 of ${SECRET}"` })).hits).toMatchObject([{ head: id }]);
    expect((await again.verifyStore()).findings).toEqual([]);
    await again.close();
  });

  it("is not opened without its key, nor with another one, and nothing is put aside for it", async () => {
    await (await openWith(openRaw, WISH)).close();
    await expect(openWith(openRaw, { ...WISH, key: randomBytes(32).toString("hex") })).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
    await expect(openWith(openRaw, { ...WISH, key: undefined })).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
    await expect(openWith(openRaw, { ...WISH, encryption: "disabled" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await (await openWith(openRaw, WISH)).close();
  });

  it("was in clear before, and is again, with all that it holds", async () => {
    const clear = await openWith(openRaw, { ...WISH, encryption: undefined });
    const id = await saveSome(clear, 6);
    await clear.cleanUp({ sessionId: "s", keepLast: 5 });
    const before = await describeStore(clear);
    expect((await clear.searchCheckpoints({ query: SECRET })).hits).not.toEqual([]);
    await clear.close();
    expect(placesOf(SECRET)).not.toEqual([]);

    const sealed = await openWith(openRaw, WISH);
    expect(await describeStore(sealed)).toEqual(before);
    await sealed.close();
    expect(placesOf(SECRET)).toEqual([]);

    const raw = await openRaw();
    const report = await convert(raw, raw.keyFiles as KeyFiles, WISH, PORTS, "clear");
    await raw.close();
    expect(report.unreadable).toEqual([]);
    const again = await openWith(openRaw, { ...WISH, encryption: undefined });
    expect(await describeStore(again)).toEqual(before);
    expect(await again.loadCheckpoint({ checkpointId: id })).toMatchObject({ context: { [`${SECRET}-key`]: `${SECRET} 5` } });
    await again.close();
    expect(filesBelow(dataDir).filter((file) => /session\.key|keyring/.test(file))).toEqual([]);
  });

  it("refuses a blob that was swapped, renamed, cut, changed in one bit, or is in clear", async () => {
    const store = await openWith(openRaw, WISH);
    const ids = [
      await saveSome(store, 1, "s"),
      await saveSome(store, 1, "t"),
      await saveSome(store, 1, "u"),
      await saveSome(store, 1, "v"),
    ];
    await store.close();
    const files = ids.map((id) => filesBelow(dataDir).find((file) => file.includes(id)) as string);
    const bytes = files.map((file) => readFileSync(file));
    const clear = Buffer.from("\x1f\x8b\x08\x00");
    writeFileSync(files[0] as string, bytes[1] as Buffer);
    writeFileSync(files[1] as string, (bytes[1] as Buffer).subarray(0, -1));
    writeFileSync(files[2] as string, Buffer.from(bytes[2] as Buffer).fill((bytes[2]?.[60] ?? 0) ^ 1, 60, 61));
    writeFileSync(files[3] as string, clear);
    const again = await openWith(openRaw, WISH);
    for (const checkpointId of ids) {
      await expect(again.loadCheckpoint({ checkpointId })).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
    }
    await again.close();
  });

  it("is in clear again but for what is damaged, which stays sealed, and can be sealed once more", async () => {
    const store = await openWith(openRaw, WISH);
    const [damaged, good] = [await saveSome(store, 1, "s"), await saveSome(store, 1, "t")];
    await store.close();
    const file = filesBelow(dataDir).find((each) => each.includes(damaged)) as string;
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    const raw = await openRaw();
    const { unreadable } = await convert(raw, raw.keyFiles as KeyFiles, WISH, PORTS, "clear");
    await raw.close();
    expect(unreadable).toHaveLength(1);
    for (const wish of [{ ...WISH, encryption: "disabled" as const }, WISH, WISH]) {
      const again = await openWith(openRaw, wish);
      expect(await again.loadCheckpoint({ checkpointId: good })).toMatchObject({ context: { [`${SECRET}-key`]: `${SECRET} 0` } });
      await again.close();
      expect(placesOf(SECRET).length > 0).toBe(wish.encryption === "disabled");
    }
  });

  it("comes back when its catalog is lost", async () => {
    const store = await openWith(openRaw, WISH);
    const id = await saveSome(store, 5);
    await store.close();
    for (const name of readdirSync(dataDir)) if (/^(workrail\.db|catalog)/.test(name)) rmSync(path.join(dataDir, name));
    const again = await openWith(openRaw, WISH);
    expect((await again.findCheckpoints({ project: null })).total).toBe(5);
    expect(await again.loadCheckpoint({ checkpointId: id })).toMatchObject({ metadata: { name: `${SECRET} name 4` } });
    await again.close();
  });
});

describe.each(Object.entries(OPENERS))("a process that ends while it converts a store on %s", (_name, openRaw) => {
  const CLEAR = { ...WISH, encryption: undefined };

  /** Converts copies of a store, each time dying one file operation later, until one conversion is done. */
  async function sweep(wishBefore: SealingSettings, to: "sealed" | "clear", look: (before: unknown) => Promise<void>): Promise<number> {
    const store = await openWith(openRaw, wishBefore);
    await saveSome(store, 3);
    await store.cleanUp({ sessionId: "s", keepLast: 2 });
    const before = await describeStore(store);
    await store.close();
    const template = `${dataDir}-template`;
    cpSync(dataDir, template, { recursive: true });
    try {
      for (let at = 1; ; at += STRIDE) {
        rmSync(dataDir, { recursive: true });
        cpSync(template, dataDir, { recursive: true });
        if (!(await dies(at, to))) return at;
        await look(before);
      }
    } finally {
      rmSync(template, { recursive: true });
    }
  }

  async function dies(at: number, to: "sealed" | "clear"): Promise<boolean> {
    const faults = new Faults();
    const raw = await openRaw(withFaults(nodeFileSystem, faults, { throws: true }));
    faults.arm({ kind: "crashes", at, persistent: true, code: "EIO" });
    await convert(raw, raw.keyFiles as KeyFiles, WISH, PORTS, to).catch(() => {});
    await raw.close().catch(() => {});
    return faults.struck;
  }

  it("has lost nothing, and whoever opens it with the key finishes sealing it", { timeout: 300_000 }, async () => {
    const operations = await sweep(CLEAR, "sealed", async (before) => {
      const again = await openWith(openRaw, WISH);
      expect(await describeStore(again)).toEqual(before);
      await again.close();
      expect(placesOf(SECRET)).toEqual([]);
    });
    expect(operations).toBeGreaterThan(20);
  });

  it("has lost nothing, and whoever opens it with the key finishes opening it", { timeout: 300_000 }, async () => {
    const operations = await sweep(WISH, "clear", async (before) => {
      const again = await openWith(openRaw, CLEAR);
      expect(await describeStore(again)).toEqual(before);
      await again.close();
    });
    expect(operations).toBeGreaterThan(20);
  });
});

async function openWith(storage: () => Promise<Storage>, sealing: SealingSettings): Promise<Store> {
  const settings = { ...readSettings({}, { dataDir }), sealing };
  return openStore({ settings, adapters: { storage: () => storage() }, project: `/work/${SECRET}` });
}

async function saveSome(store: Store, count: number, sessionId = "s"): Promise<string> {
  let id = "";
  for (let step = 0; step < count; step++) {
    const saved = await store.saveCheckpoint({
      sessionId,
      context: { [`${SECRET}-key`]: `${SECRET} ${step}`, filler: Array.from({ length: 50 }, (_, at) => `line ${at} of ${SECRET}`) },
      metadata: { name: `${SECRET} name ${step}`, tags: [`${SECRET}-tag`], [`${SECRET}-more`]: { note: SECRET } },
      agentId: `agent-of-${SECRET}`,
      workflowId: `workflow-of-${SECRET}`,
      phase: SECRET,
    });
    id = saved.checkpointId;
  }
  return id;
}

async function describeStore(store: Store): Promise<unknown> {
  const { checkpoints } = await store.findCheckpoints({ project: null, sessionId: "s", limit: 100 });
  const trash = await store.listTrash();
  return {
    checkpoints: checkpoints.map((checkpoint) => ({ ...checkpoint, lastAccessedAt: undefined })),
    trash,
    usage: (await store.storage.catalog.usage()).checkpoints,
  };
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Files whose name or bytes, raw or unpacked, hold a text. */
function placesOf(text: string): readonly string[] {
  return filesBelow(dataDir).filter((file) => {
    const bytes = readFileSync(file);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return file.slice(dataDir.length).includes(text) || bytes.includes(text) || (isPacked && gunzipSync(bytes).includes(text));
  });
}

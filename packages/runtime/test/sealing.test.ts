import { randomBytes } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import type { Remains } from "@workrail/core";
import { keyFromEnvironment } from "@workrail/keychain-crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sealAnew, sealedKeys, unseal } from "../src/sealing/convert.ts";
import { rekeyStore } from "../src/sealing/seal-store.ts";
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

const NEW_KEY = randomBytes(32).toString("hex");

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "workrail-sealing-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe.each(Object.entries(OPENERS))("a sealed store on %s", (_name, openRaw) => {
  it("contains no save in clear, and returns saves", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const id = await saveSome(store, 4);
    await store.markCritical({ sessionId: "s", contextKey: `${PLANTED}-key` });
    await store.close();
    expect(placesOf(PLANTED, dataDir)).toEqual([]);
    expect(placesOf("agent-of-", dataDir)).toEqual([]);
    const again = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    expect(await again.loadCheckpoint({ checkpointId: id })).toMatchObject({
      context: { [`${PLANTED}-key`]: `${PLANTED} 3` },
      metadata: { name: `${PLANTED} name 3`, tags: [`${PLANTED}-tag`], agentId: `agent-of-${PLANTED}`, criticalKeys: [`${PLANTED}-key`] },
    });
    expect((await again.findCheckpoints({ tags: [`${PLANTED}-tag`] })).total).toBe(4);
    expect((await again.findCheckpoints({ name: "NAME 2" })).total).toBe(1);
    expect((await again.searchCheckpoints({ query: `"line 7 of ${PLANTED}"` })).hits).toMatchObject([{ head: id }]);
    expect((await again.verifyStore()).findings).toEqual([]);
    await again.close();
  });

  it("cannot be opened without its key, nor with another one, and nothing is moved to quarantine for that", async () => {
    await (await openWith(openRaw, dataDir, { sealing: WISH })).close();
    await expect(openWith(openRaw, dataDir, { sealing: { ...WISH, key: randomBytes(32).toString("hex") } })).rejects.toMatchObject({
      code: "KEY_UNAVAILABLE",
    });
    await expect(openWith(openRaw, dataDir, { sealing: { ...WISH, key: undefined } })).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
    await expect(openWith(openRaw, dataDir, { sealing: { ...WISH, encryption: "disabled" } })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await (await openWith(openRaw, dataDir, { sealing: WISH })).close();
  });

  it("can be converted from clear and back, with all its content", async () => {
    const clear = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    const id = await saveSome(clear, 6);
    await clear.cleanUp({ sessionId: "s", keepLast: 5 });
    const before = await describeStore(clear);
    expect((await clear.searchCheckpoints({ query: PLANTED })).hits).not.toEqual([]);
    await clear.close();
    expect(placesOf(PLANTED, dataDir)).not.toEqual([]);

    const sealed = await openWith(openRaw, dataDir, { sealing: WISH });
    expect(await describeStore(sealed)).toEqual(before);
    await sealed.close();
    expect(placesOf(PLANTED, dataDir)).toEqual([]);

    const report = await withRaw(openRaw, dataDir, (raw, keyFiles) => unseal({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH));
    expect(report.unreadable).toEqual([]);
    const again = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    expect(await describeStore(again)).toEqual(before);
    expect(await again.loadCheckpoint({ checkpointId: id })).toMatchObject({ context: { [`${PLANTED}-key`]: `${PLANTED} 5` } });
    await again.close();
    expect(filesBelow(dataDir).filter((file) => /session\.key|keyring/.test(file))).toEqual([]);
  });

  it("is converted to clear except for damaged files, which stay sealed, and can be sealed again", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const [damaged, good] = [await saveSome(store, 1, "s"), await saveSome(store, 1, "t")];
    await store.close();
    const file = filesBelow(dataDir).find((each) => each.includes(damaged)) as string;
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    const { unreadable } = await withRaw(openRaw, dataDir, (raw, keyFiles) =>
      unseal({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH),
    );
    expect(unreadable).toHaveLength(1);
    for (const wish of [{ ...WISH, encryption: "disabled" as const }, WISH, WISH]) {
      const again = await openWith(openRaw, dataDir, { sealing: wish });
      expect(await again.loadCheckpoint({ checkpointId: good })).toMatchObject({ context: { [`${PLANTED}-key`]: `${PLANTED} 0` } });
      await again.close();
      expect(placesOf(PLANTED, dataDir).length > 0).toBe(wish.encryption === "disabled");
    }
  });

  it("is rebuilt when its catalog is lost", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const id = await saveSome(store, 5);
    await store.close();
    loseCatalog();
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    expect((await again.findCheckpoints({ project: null })).total).toBe(5);
    expect(await again.loadCheckpoint({ checkpointId: id })).toMatchObject({ metadata: { name: `${PLANTED} name 4` } });
    await again.close();
  });

  it("is rebuilt when its catalog is lost, and can be converted to clear afterwards", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 3);
    const before = await describeStore(store);
    await store.close();
    loseCatalog();
    await (await openWith(openRaw, dataDir, { sealing: WISH })).close();
    await withRaw(openRaw, dataDir, (raw, keyFiles) => unseal({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH));
    const again = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    expect(await describeStore(again)).toEqual(before);
    await again.close();
  });

  it("makes its recovery key last, so that the key of a call that fails is shown by the next one", async () => {
    await withRaw(openRaw, dataDir, async (storage, keyFiles) => {
      const seal = () => sealedKeys({ storage, keyFiles, ports: portsOf(dataDir) }, WISH, { withRecovery: true });
      vi.spyOn(storage.remains as Remains, "list").mockImplementationOnce(() => {
        throw Object.assign(new Error("EMFILE"), { code: "EMFILE" });
      });
      await expect(seal()).rejects.toMatchObject({ code: "EMFILE" });
      expect((await seal()).result.recoveryKey).toEqual(expect.any(String));
    });
  });

  it("is resealed, and then no old key opens any part of it", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    const id = await saveSome(store, 6);
    await store.cleanUp({ sessionId: "s", keepLast: 5 });
    await saveSome(store, 1, "emptied");
    await store.cleanUp({ sessionId: "emptied", permanently: true });
    const before = await describeStore(store);
    await store.close();
    const recoveryKey = (
      await withRaw(openRaw, dataDir, (raw, keyFiles) =>
        sealedKeys({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH, { withRecovery: true }),
      )
    ).result.recoveryKey as string;
    const old = `${dataDir}-old`;
    cpSync(dataDir, old, { recursive: true });
    try {
      const anew = await withRaw(openRaw, dataDir, (raw, keyFiles) => {
        return sealAnew(
          { storage: raw, keyFiles, ports: portsOf(dataDir) },
          { from: keyFromEnvironment(WISH.key as string), to: keyFromEnvironment(NEW_KEY) },
        );
      });
      expect(anew).toMatchObject({ unreadable: [], stillInClear: [], underOldKey: [], recoveryKey: expect.any(String) as string });
      const now = { ...WISH, key: NEW_KEY };
      for (const wish of [now, { ...now, recoveryKey: anew.recoveryKey }]) {
        const again = await openWith(openRaw, dataDir, { sealing: wish });
        expect(await describeStore(again)).toEqual({ ...(before as object), usage: expect.any(Number) as number });
        expect((await again.verifyStore()).findings).toEqual([]);
        // A session with only its key left accepts a checkpoint as before.
        await saveSome(again, 1, "emptied");
        await again.close();
      }
      for (const wish of [WISH, { ...WISH, recoveryKey }]) {
        await expect(openWith(openRaw, dataDir, { sealing: wish })).rejects.toMatchObject({ code: "KEY_UNAVAILABLE" });
      }
      // The old keys with the old keyring, and each session's old key file put back, open nothing either.
      for (const file of filesBelow(old).filter((each) => /keyring\.json|session\.key/u.test(each))) {
        cpSync(file, path.join(dataDir, path.relative(old, file)));
      }
      loseCatalog();
      const opened = await openWith(openRaw, dataDir, { sealing: WISH });
      expect((await opened.findCheckpoints({ project: null })).total).toBe(0);
      expect((await opened.verifyStore()).findings.length).toBeGreaterThanOrEqual(5);
      await expect(opened.loadCheckpoint({ checkpointId: id })).rejects.toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      await opened.close();
    } finally {
      rmSync(old, { recursive: true });
    }
  });

  it.each(["missing", "damaged"])("is not resealed when a session's key is %s, because its checkpoints would be lost", async (reason) => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 1);
    await store.close();
    loseKeys(sessionKeys(), reason);
    const change = { from: keyFromEnvironment(WISH.key as string), to: keyFromEnvironment(NEW_KEY) };
    const anew = withRaw(openRaw, dataDir, (raw, keyFiles) => sealAnew({ storage: raw, keyFiles, ports: portsOf(dataDir) }, change));
    await expect(anew).rejects.toMatchObject({ code: "KEY_UNAVAILABLE", details: { reason: `session-key-${reason}` } });
    await (await openWith(openRaw, dataDir, { sealing: WISH })).close();
  });

  it("is resealed with the second copy of a session's key when the first is damaged", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 2);
    const before = await describeStore(store);
    await store.close();
    loseKeys(
      sessionKeys().filter((file) => file.endsWith("session.key")),
      "damaged",
    );
    const change = { from: keyFromEnvironment(WISH.key as string), to: keyFromEnvironment(NEW_KEY) };
    await withRaw(openRaw, dataDir, (raw, keyFiles) => sealAnew({ storage: raw, keyFiles, ports: portsOf(dataDir) }, change));
    const resealed = await openWith(openRaw, dataDir, { sealing: { ...WISH, key: NEW_KEY } });
    expect(await describeStore(resealed)).toEqual(before);
    await resealed.close();
  });

  it.each(["missing", "damaged"])("is verified, repaired and backed up without a session whose key is %s", async (reason) => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 1, "t");
    const id = await saveSome(store, 1, "s");
    const keys = sessionKeys("s").map((file) => [file, readFileSync(file)] as const);
    loseKeys(sessionKeys("s"), reason);
    await store.close();
    const without = await openWith(openRaw, dataDir, { sealing: WISH });
    const finding = { kind: "unreadable", checkpointId: id };
    expect((await without.verifyStore()).findings).toMatchObject([finding]);
    expect(await without.repairStore({ collectGarbage: true })).toMatchObject({ repaired: [], left: [finding] });
    const backup = await without.backup(`${dataDir}-backup`);
    rmSync(`${dataDir}-backup`, { recursive: true });
    expect(backup).toMatchObject({ checkpoints: 1, unreadable: [{ checkpointId: id, code: "KEY_UNAVAILABLE" }] });
    await without.close();
    for (const [file, bytes] of keys) writeFileSync(file, bytes);
    const restored = await openWith(openRaw, dataDir, { sealing: WISH });
    expect((await restored.verifyStore()).findings).toEqual([]);
    await restored.close();
  });

  it("refuses saves to a session whose key is missing, until the key is restored or the session deleted", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH });
    await saveSome(store, 1, "s");
    const keys = sessionKeys("s").map((file) => [file, readFileSync(file)] as const);
    await store.close();
    loseKeys(sessionKeys("s"), "missing");
    const again = await openWith(openRaw, dataDir, { sealing: WISH });
    const save = (sessionId: string, saved: string) => again.saveCheckpoint({ sessionId, workflowId: "w", context: { saved } });
    const refused = { code: "KEY_UNAVAILABLE", details: { reason: "session-key-missing" } };
    await expect(save("s", "unsealed")).rejects.toMatchObject(refused);
    await save("other", "meanwhile");
    for (const [file, bytes] of keys) writeFileSync(file, bytes);
    await save("s", "restored");
    expect((await again.verifyStore()).findings).toEqual([]);
    loseKeys(sessionKeys("s"), "missing");
    await again.erase({ sessionIds: ["s"] });
    const { checkpointId } = await save("s", "anew");
    expect((await again.loadCheckpoint({ checkpointId })).context).toEqual({ saved: "anew" });
    await again.close();
  });

  it("that is unencrypted has no key to replace", async () => {
    await (await openWith(openRaw, dataDir, { sealing: NO_WISH })).close();
    const change = { from: keyFromEnvironment(NEW_KEY), to: keyFromEnvironment(NEW_KEY) };
    const anew = withRaw(openRaw, dataDir, (raw, keyFiles) => sealAnew({ storage: raw, keyFiles, ports: portsOf(dataDir) }, change));
    await expect(anew).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});

/** Both files of each session's key. */
function sessionKeys(sessionId = ""): readonly string[] {
  return filesBelow(dataDir).filter((file) => file.includes(path.join(sessionId, "session.key")));
}

function loseKeys(files: readonly string[], reason: string): void {
  for (const file of files) {
    if (reason === "missing") rmSync(file);
    else writeFileSync(file, reason);
  }
}

function loseCatalog(): void {
  for (const name of readdirSync(dataDir)) if (/^(?:workrail\.db|catalog)/u.test(name)) rmSync(path.join(dataDir, name));
}

it("says that a new key is in use when the disk did not confirm it", async () => {
  const env = { WORKRAIL_ENCRYPTION_KEY: WISH.key };
  await (await openWith(OPENERS["sqlite-fs"], dataDir, { sealing: WISH })).close();
  const keyFile = path.join(dataDir, "new.key");
  writeFileSync(keyFile, NEW_KEY, { mode: 0o600 });
  const before = readFileSync(path.join(dataDir, "contexts", "keyring.json"), "utf8");
  const syncDirectory = nodeFileSystem.syncDirectory.bind(nodeFileSystem);
  const spy = vi.spyOn(nodeFileSystem, "syncDirectory").mockImplementation((directory) => {
    const isReplaced = readFileSync(path.join(dataDir, "contexts", "keyring.json"), "utf8") !== before;
    if (isReplaced && directory === path.join(dataDir, "contexts")) throw Object.assign(new Error("EIO"), { code: "EIO" });
    return syncDirectory(directory);
  });
  const refused = await rekeyStore({ keyFile }, { dataDir, env }).catch((error: unknown) => error);
  spy.mockRestore();
  expect(refused).toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    details: { reason: "input-output" },
    hint: expect.stringMatching(/The store has the new key already.+run `workrail rekey` again with it/u) as string,
  });
  const again = { WORKRAIL_ENCRYPTION_KEY_FILE: keyFile };
  expect((await rekeyStore({ keyFile }, { dataDir, env: again })).recoveryKey).toEqual(expect.any(String));
});

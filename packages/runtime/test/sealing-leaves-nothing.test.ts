import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Embedder, Log } from "@workrail/core";
import { nodeFileSystem } from "@workrail/sqlite-fs";
import { Faults, tally, withFaults } from "@workrail/storage-conformance/harness";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealedKeys } from "../src/sealing/convert.ts";
import type { OpenedStore } from "./opened-store.ts";
import {
  filesBelow,
  holdDigest,
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
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** A token that matches a rule, so that it is redacted. */
const TOKEN = `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a".slice(0, 36)}`;

/** Tests every n-th file operation; `npm run test:faults` tests each. */
const STRIDE = IS_LONG ? 1 : 29;
const REDACT = { WORKRAIL_SECRETS: "redact" };

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "workrail-sealing-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe.each(Object.entries(OPENERS))("clear text in a sealed store on %s", (name, openRaw) => {
  it("is removed by sealing, except from reported files", async () => {
    const redactionKey = await makeHistory();
    const raws = { secrets: placesOf(PLANTED, dataDir), keys: placesOf(redactionKey, dataDir) };
    // Precondition: each of these contains clear text before sealing.
    for (const part of ["contexts", "quarantine", "exports", "replaced-", "pre-schema-", "metadata.json.damaged", ".tmp-"]) {
      expect(raws.secrets).toContainEqual(expect.stringContaining(part));
    }
    expect(raws.keys).toHaveLength(1);
    const { result } = await withRaw(openRaw, dataDir, (raw, keyFiles) =>
      sealedKeys({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH),
    );
    const left = [...placesOf(PLANTED, dataDir)].toSorted();
    expect(result.stillInClear.toSorted()).toEqual(left);
    expect(left.filter((file) => !/[/\\](?:quarantine|exports)[/\\]/u.test(file))).toEqual([]);
    expect(result.removedCopies.length).toBeGreaterThanOrEqual(3);
    expect(placesOf(redactionKey, dataDir)).toEqual([]);
    const named = await openWith(openRaw, dataDir, { sealing: WISH });
    expect((await named.storeStatus()).warnings).toContainEqual(expect.stringContaining(left[0] as string));
    await named.close();
    for (const file of left) rmSync(file);
    const again = await openWith(openRaw, dataDir, { sealing: WISH, env: REDACT });
    expect((await again.storeStatus()).warnings.join()).not.toContain("unencrypted");
    expect(await placeholderIn(again)).toBe(placeholder);
    await again.close();
    expect(placesOf(PLANTED, dataDir)).toEqual([]);
  });

  it("is not written by any operation, not even as a plain digest", async () => {
    const store = await openWith(openRaw, dataDir, { sealing: WISH, env: REDACT, embedder: anEmbedder });
    const backup = `${dataDir}-backup`;
    try {
      const ids = [await saveSome(store, 1), await saveSome(store, 5)];
      await store.tagSession({ sessionId: "s", add: [`${PLANTED}-session`] });
      await store.markCritical({ sessionId: "s", contextKey: `${PLANTED}-key` });
      await store.compressContext({ context: { [PLANTED]: PLANTED.repeat(500) }, sessionId: "s", budgetTokens: 100 });
      await saveSome(store, 2, "trashed");
      await store.cleanUp({ sessionId: "trashed" });
      await saveSome(store, 2, "gone");
      await store.cleanUp({ sessionId: "gone", permanently: true });
      await saveSome(store, 2, "erased");
      await store.erase({ sessionId: "erased" });
      expect((await store.searchCheckpoints({ query: PLANTED })).hits).not.toEqual([]);
      const context = { [`${PLANTED}-digest`]: "a guess that could be confirmed" };
      await store.saveCheckpoint({ sessionId: "s", context });
      await store.backup(backup);
      const damaged = filesBelow(path.join(dataDir, "contexts")).find((file) => file.includes(ids[1] as string)) as string;
      writeFileSync(damaged, readFileSync(damaged).subarray(0, -1));
      await expect(store.loadCheckpoint({ checkpointId: ids[1] })).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
      await store.rebuildCatalog();
      for (const place of [dataDir, backup]) {
        expect(placesOf(PLANTED, place)).toEqual([]);
        const digest = createHash("sha256").update(JSON.stringify(context)).digest();
        expect(holdDigest(digest, place)).toEqual([]);
      }
      expect(readdirSync(dataDir).filter((file) => /^(?:search|vectors)\.db/u.test(file))).toEqual([]);
    } finally {
      await store.close();
      rmSync(backup, { recursive: true, force: true });
    }
    expect(placesOf(PLANTED, dataDir)).toEqual([]);
  });

  it("does not remain after a crash at any file operation, before the next opening", { timeout: 600_000 }, async () => {
    await (await openWith(openRaw, dataDir, { sealing: WISH })).close();
    const template = `${dataDir}-template`;
    cpSync(dataDir, template, { recursive: true });
    try {
      for (let [at, struck] = [1, true]; struck; at += STRIDE) {
        rmSync(dataDir, { recursive: true });
        cpSync(template, dataDir, { recursive: true });
        const faults = new Faults();
        const files = withFaults(nodeFileSystem, faults, { throws: true });
        const store = await openWith((directory) => openRaw(directory, files, faults), dataDir, { sealing: WISH });
        faults.arm({ kind: "crashes", at, persistent: true, code: "EIO" });
        await saveSome(store, 4).catch(() => undefined);
        await store.cleanUp({ sessionId: "s", keepLast: 2 }).catch(() => undefined);
        ({ struck } = faults);
        if (struck) tally({ tries: 1 });
        expect({ at, places: placesOf(PLANTED, dataDir) }).toEqual({ at, places: [] });
        await store.close().catch(() => undefined);
        expect({ at, places: placesOf(PLANTED, dataDir) }).toEqual({ at, places: [] });
      }
    } finally {
      rmSync(template, { recursive: true });
    }
  });

  it("does not occur in logs or errors", async () => {
    const told: unknown[] = [];
    const tell = (...args: unknown[]): void => void told.push(...args);
    const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
    const store = await openWith(openRaw, dataDir, { sealing: WISH, log });
    const id = await saveSome(store, 3);
    for (const fail of [
      () => store.loadCheckpoint({ checkpointId: "none" }),
      () => store.saveCheckpoint({ sessionId: "s", context: { [PLANTED]: PLANTED }, expectedParentId: "none" }),
      () => store.exportSession("s"),
      () => store.markCritical({ sessionId: "none", contextKey: PLANTED }),
    ]) {
      const failure = await fail().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      told.push(failure);
    }
    await store.close();
    const file = filesBelow(dataDir).find((each) => each.includes(id)) as string;
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    const again = await openWith(openRaw, dataDir, { sealing: WISH, log });
    told.push(await again.loadCheckpoint({ checkpointId: id }).catch((error: unknown) => error));
    told.push(await again.verifyStore(), await again.rebuildCatalog(), await again.storeStatus());
    await again.close();
    expect(told.map(textOf).join("\n")).not.toContain(PLANTED);
    expect(placesOf(PLANTED, dataDir)).toEqual([]);
  });

  let placeholder = "";

  /** Plants clear text. @returns the redaction key. */
  async function makeHistory(): Promise<string> {
    const store = await openWith(openRaw, dataDir, { sealing: NO_WISH, env: REDACT, embedder: anEmbedder });
    const ids = [await saveSome(store, 1), await saveSome(store, 5)];
    placeholder = await placeholderIn(store);
    await store.tagSession({ sessionId: "s", add: [PLANTED] });
    await store.markCritical({ sessionId: "s", contextKey: `${PLANTED}-key` });
    await saveSome(store, 1, "trashed");
    await store.cleanUp({ sessionId: "trashed" });
    await store.searchCheckpoints({ query: PLANTED });
    await store.exportSession("s");
    await store.close();
    appendBytes(ids[1] as string);
    const damaged = await openWith(openRaw, dataDir, { sealing: NO_WISH });
    await damaged.loadCheckpoint({ checkpointId: ids[1] }).catch(() => undefined);
    await damaged.rebuildCatalog();
    await damaged.close();
    mkdirSync(path.join(dataDir, "backups"), { recursive: true });
    const catalog = path.join(dataDir, name === "files" ? "catalog.jsonl" : "workrail.db");
    cpSync(catalog, path.join(dataDir, "backups/pre-schema-2.db"));
    const session = path.join(dataDir, "contexts/s");
    cpSync(path.join(session, "metadata.json"), path.join(session, "metadata.json.damaged.1"));
    const temporary = ".tmp-00000000-1-0123456789abcdef";
    for (const place of [dataDir, path.join(dataDir, "contexts"), session]) writeFileSync(path.join(place, temporary), PLANTED);
    const isClosed = readdirSync(dataDir).every((file) => !file.endsWith("-wal"));
    expect(isClosed).toBe(true);
    return readFileSync(path.join(dataDir, "redaction.key"), "utf8").trim();
  }
});

/** Appends text to a checkpoint's file: its gzip stream is damaged, but mostly readable. */
function appendBytes(checkpointId: string): void {
  const file = filesBelow(path.join(dataDir, "contexts")).find((each) => each.includes(checkpointId)) as string;
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from(PLANTED)]));
}

async function placeholderIn(store: OpenedStore): Promise<string> {
  await store.saveCheckpoint({ sessionId: "redacted", context: { token: TOKEN, at: Date.now() } });
  const { context } = await store.loadCheckpoint({ sessionId: "redacted" });
  return String(context["token"]);
}

/** Converts a result or an error to text; JSON leaves errors out. */
function textOf(told: unknown): string {
  if (!(told instanceof Error)) return JSON.stringify(told) ?? "";
  return [told.message, told.stack, JSON.stringify(told), told.cause === undefined ? "" : textOf(told.cause)].join("\n");
}

const anEmbedder: Embedder = {
  name: "letters",
  dimensions: 2,
  embed: async (texts) => texts.map((text) => Float32Array.of(1, text.length)),
};

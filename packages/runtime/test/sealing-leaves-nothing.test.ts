import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Embedder, Log } from "@workrail/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealedKeys } from "../src/sealing/convert.ts";
import type { Store } from "../src/store.ts";
import { filesBelow, NO_WISH, OPENERS, openWith, placesOf, portsOf, saveSome, PLANTED, WISH, withRaw } from "./sealed-stores.ts";

/** One that the rules know, so that it is redacted. */
const TOKEN = `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a".slice(0, 36)}`;

const REDACT = { WORKRAIL_SECRETS: "redact" };

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "workrail-sealing-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe.each(Object.entries(OPENERS))("of a store on %s that is sealed", (name, openRaw) => {
  it("after years in clear nothing is left in clear, and what is not the store's own is named", async () => {
    const redactionKey = await makeHistory();
    const raws = { secrets: placesOf(PLANTED, dataDir), keys: placesOf(redactionKey, dataDir) };
    // Each of them holds what was saved before it is sealed; otherwise the search would prove nothing.
    for (const part of ["contexts", "quarantine", "exports", "replaced-", "pre-schema-", "metadata.json.damaged", ".tmp-"]) {
      expect(raws.secrets).toContainEqual(expect.stringContaining(part));
    }
    expect(raws.keys).toHaveLength(1);
    const { result } = await withRaw(openRaw, dataDir, (raw, keyFiles) => sealedKeys(raw, keyFiles, WISH, portsOf(dataDir)));
    const left = [...placesOf(PLANTED, dataDir)].toSorted();
    expect(result.stillInClear.toSorted()).toEqual(left);
    expect(left.filter((file) => !/[/\\](?:quarantine|exports)[/\\]/u.test(file))).toEqual([]);
    expect(result.removedCopies.length).toBeGreaterThanOrEqual(3);
    expect(placesOf(redactionKey, dataDir)).toEqual([]);
    const named = await openWith(openRaw, dataDir, WISH);
    expect((await named.storeStatus()).warnings).toContainEqual(expect.stringContaining(left[0] as string));
    await named.close();
    for (const file of left) rmSync(file);
    const again = await openWith(openRaw, dataDir, WISH, { env: REDACT });
    expect((await again.storeStatus()).warnings.join()).not.toContain("in clear");
    expect(await placeholderIn(again)).toBe(placeholder);
    await again.close();
    expect(placesOf(PLANTED, dataDir)).toEqual([]);
  });

  it("neither what it logs nor an error tells what is in it", async () => {
    const told: unknown[] = [];
    const tell = (...args: unknown[]): void => void told.push(...args);
    const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
    const store = await openWith(openRaw, dataDir, WISH, { log });
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
    const again = await openWith(openRaw, dataDir, WISH, { log });
    told.push(await again.loadCheckpoint({ checkpointId: id }).catch((error: unknown) => error));
    told.push(await again.verifyStore(), await again.rebuildCatalog(), await again.storeStatus());
    await again.close();
    expect(told.map(textOf).join("\n")).not.toContain(PLANTED);
    expect(placesOf(PLANTED, dataDir)).toEqual([]);
  });

  let placeholder = "";

  /** @returns the key that placeholders are made with. */
  async function makeHistory(): Promise<string> {
    const store = await openWith(openRaw, dataDir, NO_WISH, { env: REDACT, embedder: anEmbedder });
    const ids = [await saveSome(store, 1), await saveSome(store, 5)];
    placeholder = await placeholderIn(store);
    await store.tagSession({ sessionId: "s", add: [PLANTED] });
    await store.markCritical({ sessionId: "s", contextKey: `${PLANTED}-key` });
    await saveSome(store, 1, "trashed");
    await store.cleanUp({ sessionId: "trashed" });
    await store.searchCheckpoints({ query: PLANTED });
    await store.exportSession("s");
    await store.close();
    cutOff(ids[1] as string);
    const damaged = await openWith(openRaw, dataDir, NO_WISH);
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

/** Without its last bytes a file of gzip still tells most of what it holds. */
function cutOff(checkpointId: string): void {
  const file = filesBelow(path.join(dataDir, "contexts")).find((each) => each.includes(checkpointId)) as string;
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from(PLANTED)]));
}

async function placeholderIn(store: Store): Promise<string> {
  await store.saveCheckpoint({ sessionId: "redacted", context: { token: TOKEN, at: Date.now() } });
  const { context } = await store.loadCheckpoint({ sessionId: "redacted" });
  return String(context["token"]);
}

/** Errors do not go into JSON by themselves. */
function textOf(told: unknown): string {
  if (!(told instanceof Error)) return JSON.stringify(told) ?? "";
  return [told.message, told.stack, JSON.stringify(told), told.cause === undefined ? "" : textOf(told.cause)].join("\n");
}

const anEmbedder: Embedder = {
  name: "letters",
  dimensions: 2,
  embed: async (texts) => texts.map((text) => Float32Array.of(1, text.length)),
};

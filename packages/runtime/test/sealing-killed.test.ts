import { randomBytes } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isWorkrailError, type KeyFiles, type Storage } from "@workrail/core";
import { type Keyring, keyFromEnvironment, openKeyring, readKeyring, rewrapKeyring } from "@workrail/keychain-crypto";
import { nodeFileSystem } from "@workrail/sqlite-fs";
import { Faults, tally, withFaults } from "@workrail/storage-conformance/harness";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealAnew, sealedKeys, unseal } from "../src/sealing/convert.ts";
import type { SealingSettings } from "../src/sealing/sealing-settings.ts";
import { describeStore, NO_WISH, OPENERS, openWith, placesOf, portsOf, saveSome, PLANTED, WISH } from "./sealed-stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** Tests every n-th file operation; `npm run test:faults` tests each. */
const STRIDE = IS_LONG ? 1 : 29;
const NEW_WISH: SealingSettings = { ...WISH, key: randomBytes(32).toString("hex") };
const [OLD_KEY, NEW_KEY] = [keyFromEnvironment(WISH.key as string), keyFromEnvironment(NEW_WISH.key as string)];

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "workrail-sealing-"));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

type Work = (raw: Storage, keyFiles: KeyFiles) => Promise<unknown>;

interface Conversion {
  readonly name: string;
  readonly before: SealingSettings;
  readonly work: Work;
  /** Keys that a person then has. Exactly one opens the store. */
  readonly held: readonly SealingSettings[];
  readonly isSealedAfter: boolean;
}

const CONVERSIONS: readonly Conversion[] = [
  {
    name: "seals a store",
    before: NO_WISH,
    work: (raw, keyFiles) => sealedKeys({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH),
    held: [WISH],
    isSealedAfter: true,
  },
  {
    name: "has a store be in clear again",
    before: WISH,
    work: (raw, keyFiles) => unseal({ storage: raw, keyFiles, ports: portsOf(dataDir) }, WISH),
    held: [NO_WISH],
    isSealedAfter: false,
  },
  {
    name: "gives a store another key",
    before: WISH,
    work: async (raw, keyFiles) => {
      const keys = await openKeyring((await readKeyring(keyFiles)) as Keyring, OLD_KEY);
      return raw.locking.exclusively(() => rewrapKeyring(keyFiles, keys, { from: OLD_KEY, to: NEW_KEY }));
    },
    held: [WISH, NEW_WISH],
    isSealedAfter: true,
  },
  {
    name: "seals a store anew",
    before: WISH,
    work: (raw, keyFiles) => sealAnew({ storage: raw, keyFiles, ports: portsOf(dataDir) }, { from: OLD_KEY, to: NEW_KEY }),
    held: [WISH, NEW_WISH],
    isSealedAfter: true,
  },
];

describe.each(Object.entries(OPENERS))("a process on %s that ends while it", (_name, openRaw) => {
  it.each(CONVERSIONS)(
    "$name has lost nothing, and whoever opens it with the key finishes it",
    { timeout: 600_000 },
    async (conversion) => {
      const store = await openWith(openRaw, dataDir, { sealing: conversion.before });
      await saveSome(store, 3);
      await store.cleanUp({ sessionId: "s", keepLast: 2 });
      const before = await describeStore(store);
      await store.close();
      const template = `${dataDir}-template`;
      cpSync(dataDir, template, { recursive: true });
      let at = 1;
      try {
        for (; ; at += STRIDE) {
          rmSync(dataDir, { recursive: true });
          cpSync(template, dataDir, { recursive: true });
          const struck = await dies(at, conversion.work);
          const keys = await keysThatOpen(conversion, before);
          expect(keys).toHaveLength(1);
          if (!struck) break;
          tally({ tries: 1 });
        }
      } finally {
        rmSync(template, { recursive: true });
      }
      expect(at).toBeGreaterThan(4);
      expect(placesOf(PLANTED, dataDir).length > 0).toBe(!conversion.isSealedAfter);
      // The conversion finished: the last key opens the store now.
      await expect(holds(conversion.held.at(-1) as SealingSettings, before)).resolves.toBe(true);
    },
  );

  /** @returns `true` when the process died; `false` when the work finished before. */
  async function dies(at: number, work: Work): Promise<boolean> {
    const faults = new Faults();
    const raw = await openRaw(dataDir, withFaults(nodeFileSystem, faults, { throws: true }), faults);
    faults.arm({ kind: "crashes", at, persistent: true, code: "EIO" });
    const failure = await work(raw, raw.keyFiles as KeyFiles).then(
      () => undefined,
      (error: unknown) => error,
    );
    await raw.close().catch(() => {});
    // Errors other than the simulated crash fail the test.
    if (!faults.struck && failure !== undefined) throw failure;
    return faults.struck;
  }

  async function keysThatOpen({ held, isSealedAfter }: Conversion, before: unknown): Promise<readonly SealingSettings[]> {
    const opening: SealingSettings[] = [];
    for (const wish of held) if (await holds(wish, before)) opening.push(wish);
    expect(isSealedAfter ? placesOf(PLANTED, dataDir) : []).toEqual([]);
    return opening;
  }

  /** Tells whether a key opens the store, and checks that the store is complete. */
  async function holds(wish: SealingSettings, before: unknown): Promise<boolean> {
    try {
      const store = await openWith(openRaw, dataDir, { sealing: wish });
      expect(await describeStore(store)).toEqual(before);
      await store.close();
      return true;
    } catch (error) {
      if (isWorkrailError(error) && error.code === "KEY_UNAVAILABLE") return false;
      throw error;
    }
  }
});

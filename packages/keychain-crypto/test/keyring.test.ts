import { createHash, randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject, KeyFiles } from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addRecoveryKey,
  createKeyring,
  hasRecoveryKey,
  type OpenedKeys,
  openKeyring,
  readKeyring,
  replaceDataKey,
  rewrapKeyring,
  sourceKindOf,
  writeKeyringState,
} from "../src/keyring.ts";
import { keyFromEnvironment, keyFromFile, keyFromPassphrase, type KeySource } from "../src/key-source.ts";
import { keyFromKeychain } from "../src/keychain.ts";
import { keyFromRecovery } from "../src/recovery-key.ts";

const UNAVAILABLE = { code: "KEY_UNAVAILABLE" };
/** Low cost, for fast tests only. */
const COST = { N: 1024, r: 8, p: 1 };
const [ZEROS, ONES] = [keyFromEnvironment("0".repeat(64)), keyFromEnvironment("1".repeat(64))];

let files: KeyFiles;
let folder: string;

beforeEach(() => {
  files = openMemoryStorage({ disk: new MemoryDisk() }).keyFiles;
  folder = mkdtempSync(path.join(tmpdir(), "workrail-keys-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function aKeyFile(): KeySource {
  const file = path.join(folder, "key");
  writeFileSync(file, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  return keyFromFile(file);
}

describe("a keyring", () => {
  it.each<[string, () => KeySource]>([
    ["the environment", () => keyFromEnvironment(randomBytes(32).toString("hex"))],
    ["a file", aKeyFile],
    ["a passphrase", () => keyFromPassphrase("correct horse battery staple", COST)],
  ])("gives its data key again to a key from %s, and to the recovery key", async (_, sourceOf) => {
    const source = sourceOf();
    const made = await createKeyring(files, source, "sealed");
    expect(sourceKindOf(made.keyring)).toBe(source.kind);
    expect((await open(source)).dataKey).toEqual(made.dataKey);
    expect(hasRecoveryKey(made.keyring)).toBe(false);
    const recoveryKey = await addRecoveryKey(files, made);
    expect((await open(keyFromRecovery(recoveryKey))).dataKey).toEqual(made.dataKey);
    expect((await open(source)).dataKey).toEqual(made.dataKey);
  });

  it("cannot be opened by another key of any source", async () => {
    await createKeyring(files, keyFromPassphrase("correct horse", COST), "sealed");
    for (const other of [keyFromPassphrase("correct house", COST), keyFromEnvironment("0".repeat(64)), keyFromRecovery("A".repeat(56))]) {
      await expect(open(other)).rejects.toMatchObject(UNAVAILABLE);
    }
  });

  it("can be rewrapped, after which the old key and the old recovery key open nothing", async () => {
    const made = await createKeyring(files, ZEROS, "sealed");
    const recoveryKey = await addRecoveryKey(files, made);
    const rewrapped = await rewrapKeyring(files, await open(ZEROS), { from: ZEROS, to: ONES });
    for (const old of [ZEROS, keyFromRecovery(recoveryKey)]) await expect(open(old)).rejects.toMatchObject(UNAVAILABLE);
    for (const now of [ONES, keyFromRecovery(rewrapped.recoveryKey)]) expect((await open(now)).dataKey).toEqual(made.dataKey);
  });

  it("keeps the old key when the new one is unavailable", async () => {
    const made = await createKeyring(files, ZEROS, "sealed");
    for (const change of [rewrapKeyring, replaceDataKey]) {
      await expect(change(files, made, { from: ZEROS, to: keyFromEnvironment("no key") })).rejects.toMatchObject(UNAVAILABLE);
      expect((await open(ZEROS)).dataKey).toEqual(made.dataKey);
    }
  });

  it("can replace its data key, and gives the old one only to the new key, until it is no longer needed", async () => {
    const made = await createKeyring(files, ZEROS, "sealed");
    const recoveryKey = await addRecoveryKey(files, made);
    const replaced = await replaceDataKey(files, await open(ZEROS), { from: ZEROS, to: ONES });
    expect(replaced.dataKey.bytes).not.toEqual(made.dataKey.bytes);
    for (const old of [ZEROS, keyFromRecovery(recoveryKey)]) await expect(open(old)).rejects.toMatchObject(UNAVAILABLE);
    expect(await open(ONES)).toMatchObject({ keyring: { state: "rekeying" }, dataKey: replaced.dataKey, previous: made.dataKey });
    await writeKeyringState(files, await open(ONES), "sealed");
    expect(await open(ONES)).toMatchObject({ keyring: { state: "sealed" }, dataKey: replaced.dataKey, previous: undefined });
    expect(await textOfFile()).not.toContain("previous");
  });

  it("stores the state of the store", async () => {
    expect(await readKeyring(files)).toBeUndefined();
    const keys = await createKeyring(files, ZEROS, "sealing");
    expect((await readKeyring(files))?.state).toBe("sealing");
    await writeKeyringState(files, keys, "sealed");
    expect((await readKeyring(files))?.state).toBe("sealed");
  });

  it("is rejected when damaged, and reported when of a newer version", async () => {
    await createKeyring(files, ZEROS, "sealed");
    const text = await textOfFile();
    await files.write("store", Buffer.from(text.replace('"sealed"', '"sealing"')), "replace");
    await expect(readKeyring(files)).rejects.toMatchObject(UNAVAILABLE);
    await files.write("store", Buffer.from(text.replace('"workrailKeyring": 1', '"workrailKeyring": 2')), "replace");
    await expect(readKeyring(files)).rejects.toMatchObject({ code: "UNSUPPORTED_VERSION" });
  });

  it("is rejected when changed without the key, even with a new checksum", async () => {
    await createKeyring(files, ZEROS, "sealed");
    const { workrailKeyring, check, ...keyring } = JSON.parse(await textOfFile()) as JsonObject;
    const plant = async (planted: object): Promise<void> => {
      const digest = createHash("sha256")
        .update(JSON.stringify(planted))
        .digest("hex")
        .slice(0, (check as string).length);
      await files.write("store", Buffer.from(JSON.stringify({ workrailKeyring, check: digest, ...planted })), "replace");
    };
    for (const planted of [
      { ...keyring, state: "sealing" },
      { ...keyring, mac: "" },
    ]) {
      await plant(planted);
      await expect(open(ZEROS)).rejects.toMatchObject({
        ...UNAVAILABLE,
        message: expect.stringContaining("changed without the key") as string,
      });
    }
    for (const planted of [{}, { ...keyring, mac: 1 }, { ...keyring, dataKey: {} }, { ...keyring, dataKey: { wraps: [1] } }]) {
      await plant(planted);
      await expect(open(ZEROS)).rejects.toMatchObject(UNAVAILABLE);
    }
  });
});

async function open(source: KeySource): Promise<OpenedKeys> {
  const keyring = await readKeyring(files);
  if (keyring === undefined) throw new Error("There is no keyring.");
  return openKeyring(keyring, source);
}

async function textOfFile(): Promise<string> {
  return Buffer.from((await files.read("store", () => true)) ?? []).toString();
}

describe("a key", () => {
  it.each(["", "short", "0".repeat(63), "!".repeat(43)])("cannot be parsed from %j", async (text) => {
    await expect(keyFromEnvironment(text).make("store")).rejects.toMatchObject(UNAVAILABLE);
  });

  it.skipIf(process.platform === "win32")("is rejected in a file that others can read", async () => {
    const source = aKeyFile();
    chmodSync(path.join(folder, "key"), 0o640);
    await expect(source.find({})).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining("Others can read") as string });
  });

  it("file is rejected when missing or with other content", async () => {
    await expect(keyFromFile(path.join(folder, "none")).find({})).rejects.toMatchObject(UNAVAILABLE);
    writeFileSync(path.join(folder, "other"), "text", { mode: 0o600 });
    await expect(keyFromFile(path.join(folder, "other")).find({})).rejects.toMatchObject(UNAVAILABLE);
  });

  it("is not derived from a short passphrase, nor with a manipulated cost", async () => {
    await expect(keyFromPassphrase("seven77", COST).make("store")).rejects.toMatchObject(UNAVAILABLE);
    const planted = { salt: "AAAA", N: 2 ** 30, r: 8, p: 1 };
    await expect(keyFromPassphrase("correct horse", COST).find(planted)).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe("without a keychain", () => {
  const broken = (message: string) =>
    keyFromKeychain(() => {
      throw new Error(message);
    });

  it("the error names the reason and a hint, and no key is created", async () => {
    const failure = { ...UNAVAILABLE, message: "The keychain cannot be used.", hint: expect.stringContaining("KEY_FILE") as string };
    await expect(broken("no D-Bus").make("store")).rejects.toMatchObject(failure);
    await expect(createKeyring(files, broken("no D-Bus"), "sealed")).rejects.toMatchObject(failure);
    expect(await readKeyring(files)).toBeUndefined();
  });
});

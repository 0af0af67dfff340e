import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { KeyFiles } from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeyring, openKeyring, readKeyring, rewrapKeyring, writeKeyringState } from "../src/keyring.ts";
import { keyFromEnvironment, keyFromFile, keyFromPassphrase, type KeySource } from "../src/key-source.ts";
import { keyFromKeychain } from "../src/keychain.ts";
import { keyFromRecovery } from "../src/recovery-key.ts";

const UNAVAILABLE = { code: "KEY_UNAVAILABLE" };
/** Fast, for tests alone. */
const COST = { N: 1024, r: 8, p: 1 };

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
    const made = await createKeyring(files, source, "sealed", true);
    expect((await readKeyring(files))?.kind).toBe(source.kind);
    expect((await openKeyring(files, source)).dataKey).toEqual(made.dataKey);
    expect((await openKeyring(files, keyFromRecovery(made.recoveryKey))).dataKey).toEqual(made.dataKey);
  });

  it("is opened by no other key, of its source or another", async () => {
    await createKeyring(files, keyFromPassphrase("correct horse", COST), "sealed", false);
    for (const other of [keyFromPassphrase("correct house", COST), keyFromEnvironment("0".repeat(64)), keyFromRecovery("A".repeat(56))]) {
      await expect(openKeyring(files, other)).rejects.toMatchObject(UNAVAILABLE);
    }
  });

  it("takes another key, and then the old one and the old recovery key open nothing", async () => {
    const [from, to] = [keyFromEnvironment("0".repeat(64)), keyFromEnvironment("1".repeat(64))];
    const { dataKey, recoveryKey } = await createKeyring(files, from, "sealed", true);
    const rewrapped = await rewrapKeyring(files, from, to);
    for (const old of [from, keyFromRecovery(recoveryKey)]) await expect(openKeyring(files, old)).rejects.toMatchObject(UNAVAILABLE);
    for (const now of [to, keyFromRecovery(rewrapped.recoveryKey)]) expect((await openKeyring(files, now)).dataKey).toEqual(dataKey);
  });

  it("keeps the old key when the new one cannot be had", async () => {
    const from = keyFromEnvironment("0".repeat(64));
    const { dataKey } = await createKeyring(files, from, "sealed", false);
    await expect(rewrapKeyring(files, from, keyFromEnvironment("no key"))).rejects.toMatchObject(UNAVAILABLE);
    expect((await openKeyring(files, from)).dataKey).toEqual(dataKey);
  });

  it("says what is done with the store", async () => {
    expect(await readKeyring(files)).toBeUndefined();
    await createKeyring(files, keyFromEnvironment("0".repeat(64)), "sealing", false);
    expect((await readKeyring(files))?.state).toBe("sealing");
    await writeKeyringState(files, "sealed");
    expect((await readKeyring(files))?.state).toBe("sealed");
  });

  it("that was changed by anybody is refused, and one of a newer version is said to be so", async () => {
    await createKeyring(files, keyFromEnvironment("0".repeat(64)), "sealed", false);
    const text = Buffer.from((await files.read("store", () => true)) ?? []).toString();
    await files.write("store", Buffer.from(text.replace('"sealed"', '"sealing"')), "replace");
    await expect(readKeyring(files)).rejects.toMatchObject(UNAVAILABLE);
    await files.write("store", Buffer.from(text.replace('"workrailKeyring": 1', '"workrailKeyring": 2')), "replace");
    await expect(readKeyring(files)).rejects.toMatchObject({ code: "UNSUPPORTED_VERSION" });
  });
});

describe("a key", () => {
  it.each(["", "short", "0".repeat(63), "!".repeat(43)])("is no key: %j", async (text) => {
    await expect(keyFromEnvironment(text).make("store")).rejects.toMatchObject(UNAVAILABLE);
  });

  it.skipIf(process.platform === "win32")("in a file that others can read is refused", async () => {
    const source = aKeyFile();
    chmodSync(path.join(folder, "key"), 0o640);
    await expect(source.find({})).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining("Others can read") as string });
  });

  it("file that is not there, or holds something else, is refused", async () => {
    await expect(keyFromFile(path.join(folder, "none")).find({})).rejects.toMatchObject(UNAVAILABLE);
    writeFileSync(path.join(folder, "other"), "text", { mode: 0o600 });
    await expect(keyFromFile(path.join(folder, "other")).find({})).rejects.toMatchObject(UNAVAILABLE);
  });

  it("is not made of a passphrase that is too short, nor with a cost that somebody planted", async () => {
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

  it("the error says so and what to do, and no key is made", async () => {
    const failure = { ...UNAVAILABLE, message: "The keychain cannot be used.", hint: expect.stringContaining("KEY_FILE") as string };
    await expect(broken("no D-Bus").make("store")).rejects.toMatchObject(failure);
    await expect(createKeyring(files, broken("no D-Bus"), "sealed", true)).rejects.toMatchObject(failure);
    expect(await readKeyring(files)).toBeUndefined();
  });
});

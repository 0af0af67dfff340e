// Runs inside of a D-Bus session of its own: unlocks a keyring there, and uses the keychain for real. Prints what it saw.
import { execFileSync } from "node:child_process";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { createKeyring, keyFromKeychain, type OpenedKeys, openKeyring, readKeyring, rewrapKeyring } from "../src/index.ts";

// It goes on in the background once it is unlocked, and ends with the session's bus.
execFileSync("gnome-keyring-daemon", ["--unlock", "--components=secrets"], { input: "password", stdio: ["pipe", "ignore", "ignore"] });

const { keyFiles } = openMemoryStorage({ disk: new MemoryDisk() });
const open = async (): Promise<OpenedKeys> => {
  const keyring = await readKeyring(keyFiles);
  if (keyring === undefined) throw new Error("There is no keyring.");
  return openKeyring(keyring, keyFromKeychain());
};
const made = await createKeyring(keyFiles, keyFromKeychain(), "sealed");
const opened = await open();
const keyring = Buffer.from((await keyFiles.read("store", () => true)) ?? []);
await rewrapKeyring(keyFiles, opened, keyFromKeychain(), keyFromKeychain());
const again = await open();
const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other);
// The entry of the old key is gone, so that the old keyring opens nothing.
await keyFiles.write("store", keyring, "replace");
const old = await open().catch((error: { code: string; message: string }) => error);
process.stdout.write(
  JSON.stringify({
    isFound: same(made.dataKey.bytes, opened.dataKey.bytes),
    isFoundAfterRekey: same(made.dataKey.bytes, again.dataKey.bytes),
    old: "code" in old ? { code: old.code, message: old.message } : "opened",
  }),
);

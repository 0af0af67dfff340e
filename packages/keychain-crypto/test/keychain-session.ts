// Unlocks a keyring in its own D-Bus session, uses the real keychain, and prints the results.
import { execFileSync } from "node:child_process";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { createKeyring, keyFromKeychain, type OpenedKeys, openKeyring, readKeyring, rewrapKeyring } from "../src/index.ts";

// The daemon continues in the background after unlocking, and ends with the bus of the session.
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
await rewrapKeyring(keyFiles, opened, { from: keyFromKeychain(), to: keyFromKeychain() });
const again = await open();
const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other);
// The entry of the old key is removed, so the old keyring opens nothing.
await keyFiles.write("store", keyring, "replace");
const old = await open().catch((error: { code: string; message: string }) => error);
process.stdout.write(
  JSON.stringify({
    isFound: same(made.dataKey.bytes, opened.dataKey.bytes),
    isFoundAfterRekey: same(made.dataKey.bytes, again.dataKey.bytes),
    old: "code" in old ? { code: old.code, message: old.message } : "opened",
  }),
);

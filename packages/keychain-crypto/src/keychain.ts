import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type { Entry, EntryOptions } from "@napi-rs/keyring";
import { isWorkrailError, type JsonObject } from "@workrail/core";
import { KEY_BYTES } from "./aes-gcm.ts";
import { type KeySource, parseKey, unusable } from "./key-source.ts";

const SERVICE = "workrail";
/**
 * Store for secrets on Linux. The library would fall back to the keyring of the kernel, which loses everything when the machine
 * restarts; only the Secret Service is persistent.
 */
const STORE: EntryOptions = { linux: { store: "secret-service" } };

const ELSEWHERE = "or keep the key in a file, as `openssl rand -base64 32` writes one, and name that by WORKRAIL_ENCRYPTION_KEY_FILE.";

const HINT =
  process.platform === "linux"
    ? `Start and unlock a Secret Service, such as gnome-keyring, in this session; ${ELSEWHERE}`
    : `Unlock the keychain; ${ELSEWHERE}`;

type EntryClass = typeof Entry;

/** Returns the source for a key in the operating system's Keychain, Credential Manager or Secret Service. */
export function keyFromKeychain(load: () => EntryClass = () => loadEntryClass()): KeySource {
  const entryOf = ({ account }: JsonObject): Entry => {
    if (typeof account !== "string")
      return unusable("The keyring does not say which entry of the keychain it is.", "Use the recovery key.");
    return attempt(() => new (load())(SERVICE, account, STORE));
  };
  return {
    kind: "keychain",
    async make(storeId) {
      // The random part keeps a new key from overwriting one that is still needed.
      const found = { account: `store-${storeId}-${randomBytes(4).toString("hex")}` };
      const key = randomBytes(KEY_BYTES);
      const entry = entryOf(found);
      attempt(() => entry.setPassword(key.toString("base64")));
      // Some stores accept a secret and return nothing.
      if (attempt(() => entry.getPassword()) !== key.toString("base64")) unusable("The keychain did not keep the key.", HINT);
      return { key, found };
    },
    async find(found) {
      const text = attempt(() => entryOf(found).getPassword());
      const key = text === null ? undefined : parseKey(text);
      return key ?? unusable("The keychain has no key for this store.", `${HINT} Or use the recovery key.`);
    },
    async forget(found) {
      attempt(() => entryOf(found).deletePassword());
    },
  };
}

function attempt<T>(use: () => T): T {
  try {
    return use();
  } catch (cause) {
    if (isWorkrailError(cause)) throw cause;
    return unusable("The keychain cannot be used.", HINT, cause);
  }
}

/** Loads the library on demand: it is native, and missing on some systems. */
export function loadEntryClass(load: () => unknown = () => createRequire(import.meta.url)("@napi-rs/keyring")): EntryClass {
  try {
    return (load() as { readonly Entry: EntryClass }).Entry;
  } catch (cause) {
    return unusable(
      `The library for the keychain, @napi-rs/keyring, cannot be loaded on ${process.platform}-${process.arch}.`,
      `Reinstall Workrail with its optional dependencies; ${ELSEWHERE}`,
      cause,
    );
  }
}

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject, type KeyFiles, WorkrailError } from "@workrail/core";
import { KEY_BYTES, unwrapKey, wrapKey } from "./aes-gcm.ts";
import { FROM_BACKUP, type KeySource, unusable } from "./key-source.ts";
import { keyFromRecovery, recoveryText } from "./recovery-key.ts";
import type { DataKey } from "./store-sealer.ts";

const FORMAT = 1;

/**
 * How a store is kept: all of it sealed; on the way there; on the way back to clear; or in clear again but for what could not be
 * opened, for which the keys stay. What is on the way is finished, by whoever opens the store next, before it is used.
 */
export type KeyringState = "sealed" | "sealing" | "unsealing" | "clear";

/** `contexts/keyring.json`: the data key, wrapped, and where the keys are that it is wrapped with. No secret is in it. */
interface Keyring {
  readonly storeId: string;
  readonly state: KeyringState;
  readonly dataKey: WrappedKey;
}

interface WrappedKey {
  readonly id: string;
  readonly wraps: readonly Wrap[];
}

interface Wrap {
  readonly kind: KeySource["kind"];
  readonly found: JsonObject;
  /** Base64. */
  readonly wrapped: string;
}

export interface OpenedKeys {
  readonly state: KeyringState;
  readonly dataKey: DataKey;
}

/** What a keyring tells without a key. */
export interface KeyringFacts {
  readonly state: KeyringState;
  /** The source that its key comes from, beside the recovery key. */
  readonly kind: KeySource["kind"] | undefined;
}

/** `undefined`: the store has no keys, and is in clear. @throws KEY_UNAVAILABLE for a damaged keyring; UNSUPPORTED_VERSION; STORAGE_UNAVAILABLE */
export async function readKeyring(files: KeyFiles): Promise<KeyringFacts | undefined> {
  const keyring = await findKeyring(files);
  if (keyring === undefined) return undefined;
  return { state: keyring.state, kind: keyring.dataKey.wraps.find(({ kind }) => kind !== "recovery")?.kind };
}

/**
 * Makes the keys of a store that has none, and says what is done with it.
 *
 * @param withRecovery whether a person is there to write the recovery key down.
 * @returns with the recovery key, which is kept nowhere.
 * @throws KEY_UNAVAILABLE when the source gives no key, and then the store stays without.
 */
export async function createKeyring(
  files: KeyFiles,
  source: KeySource,
  state: KeyringState,
  withRecovery: boolean,
): Promise<OpenedKeys & { readonly recoveryKey: string | undefined }> {
  const storeId = randomUUID();
  const dataKey = { id: randomBytes(6).toString("hex"), bytes: randomBytes(KEY_BYTES) };
  const { wraps, recoveryKey } = await wrapAnew(dataKey, storeId, source, withRecovery);
  await writeKeyring(files, { storeId, state, dataKey: { id: dataKey.id, wraps } });
  return { state, dataKey, recoveryKey };
}

/** @throws KEY_UNAVAILABLE when the source's key is not the one that the data key is wrapped with. */
export async function openKeyring(files: KeyFiles, source: KeySource): Promise<OpenedKeys> {
  const keyring = await needKeyring(files);
  return { state: keyring.state, dataKey: await unwrap(keyring.dataKey, source) };
}

/**
 * Wraps the data key by another key, which from then on is the only one, beside a new recovery key. What was sealed stays as it is. One
 * file is replaced at once: before, the old key opens the store, and afterwards the new one.
 *
 * @throws KEY_UNAVAILABLE, and then the old key stands.
 */
export async function rewrapKeyring(
  files: KeyFiles,
  from: KeySource,
  to: KeySource,
): Promise<{ readonly recoveryKey: string | undefined }> {
  const keyring = await needKeyring(files);
  const dataKey = await unwrap(keyring.dataKey, from);
  const { wraps, recoveryKey } = await wrapAnew(dataKey, keyring.storeId, to, true);
  await writeKeyring(files, { ...keyring, dataKey: { id: dataKey.id, wraps } });
  const old = keyring.dataKey.wraps.find(({ kind }) => kind === from.kind);
  if (old !== undefined) await from.forget?.(old.found);
  return { recoveryKey };
}

/** Says what is done with the store from now on. */
export async function writeKeyringState(files: KeyFiles, state: KeyringState): Promise<void> {
  await writeKeyring(files, { ...(await needKeyring(files)), state });
}

async function wrapAnew(
  dataKey: DataKey,
  storeId: string,
  source: KeySource,
  withRecovery: boolean,
): Promise<{ readonly wraps: readonly Wrap[]; readonly recoveryKey: string | undefined }> {
  const { key, found } = await source.make(storeId);
  const wraps = [wrapOf(dataKey, source.kind, found, key)];
  if (!withRecovery) return { wraps, recoveryKey: undefined };
  const recovery = await keyFromRecovery().make(storeId);
  return { wraps: [...wraps, wrapOf(dataKey, "recovery", {}, recovery.key)], recoveryKey: recoveryText(recovery.key) };
}

function wrapOf(dataKey: DataKey, kind: Wrap["kind"], found: JsonObject, by: Uint8Array): Wrap {
  return { kind, found, wrapped: wrapKey(by, dataKey.bytes, purposeOf(dataKey.id, kind)).toString("base64") };
}

async function unwrap({ id, wraps }: WrappedKey, source: KeySource): Promise<DataKey> {
  const wrap = wraps.find(({ kind }) => kind === source.kind);
  if (wrap === undefined) {
    const kinds = wraps.map(({ kind }) => kind).join(" or ");
    return unusable(`The store's key does not come from this source (${source.kind}).`, `It was sealed with a key from: ${kinds}.`);
  }
  const bytes = unwrapKey(await source.find(wrap.found), Buffer.from(wrap.wrapped, "base64"), purposeOf(id, wrap.kind));
  if (bytes !== undefined) return { id, bytes };
  return unusable("The key is not the one that this store was sealed with.", "Give the right key, or use the recovery key.");
}

function purposeOf(id: string, kind: Wrap["kind"]): string {
  return `workrail data key 1 ${id} ${kind}`;
}

async function needKeyring(files: KeyFiles): Promise<Keyring> {
  return (await findKeyring(files)) ?? unusable("The store has no keyring.", FROM_BACKUP);
}

async function writeKeyring(files: KeyFiles, keyring: Keyring): Promise<void> {
  const text = JSON.stringify({ workrailKeyring: FORMAT, check: checkOf(keyring), ...keyring }, undefined, 2);
  await files.write("store", Buffer.from(`${text}\n`), "replace");
}

async function findKeyring(files: KeyFiles): Promise<Keyring | undefined> {
  const bytes = await files.read("store", (copy) => parseKeyring(copy) !== undefined);
  if (bytes === undefined) return undefined;
  return parseKeyring(bytes) ?? unusable("The store's keyring is damaged.", FROM_BACKUP);
}

/** `undefined` for what was not written so. */
function parseKeyring(bytes: Uint8Array): Keyring | undefined {
  const { workrailKeyring, check, ...keyring } = parse(bytes) ?? {};
  if (typeof workrailKeyring === "number" && workrailKeyring > FORMAT) {
    throw new WorkrailError("UNSUPPORTED_VERSION", "A newer version of Workrail sealed this store.", { hint: "Update Workrail." });
  }
  // What has this check was written by us.
  return workrailKeyring === FORMAT && check === checkOf(keyring) ? (keyring as unknown as Keyring) : undefined;
}

function parse(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checkOf(keyring: object): string {
  return createHash("sha256").update(JSON.stringify(keyring)).digest("hex").slice(0, 16);
}

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject, type KeyFiles, WorkrailError } from "@workrail/core";
import { deriveKey, isSame, KEY_BYTES, mac, unwrapKey, wrapKey } from "./aes-gcm.ts";
import { FROM_BACKUP, type KeySource, unusable } from "./key-source.ts";
import { keyFromRecovery, recoveryText } from "./recovery-key.ts";
import type { DataKey } from "./store-sealer.ts";

const FORMAT = 1;

/**
 * Encryption state of a store: sealed; being sealed; being rekeyed; being unsealed; or in the clear, except for unreadable parts,
 * for which the keys are kept. The next process that opens the store completes an unfinished change before any use.
 */
export type KeyringState = "sealed" | "sealing" | "rekeying" | "unsealing" | "clear";

/**
 * Content of `contexts/keyring.json`: the wrapped data key, and the sources of the wrapping keys. It contains no secret. The MAC,
 * keyed by the data key, authenticates the content. An attacker therefore cannot set a transitional state, in which plaintext is
 * accepted.
 */
export interface Keyring {
  readonly storeId: string;
  readonly state: KeyringState;
  readonly dataKey: WrappedKey;
  /** Old data key, wrapped by the new one, while it is being replaced. */
  readonly previous?: { readonly id: string; readonly wrapped: string };
  /** MAC of all other fields in base64, by a key derived from the data key. */
  readonly mac: string;
}

interface WrappedKey {
  readonly id: string;
  readonly wraps: readonly Wrap[];
}

interface Wrap {
  readonly kind: KeySource["kind"];
  readonly found: JsonObject;
  /** Wrapped key in base64. */
  readonly wrapped: string;
}

/** Keyring with its unwrapped keys. */
export interface OpenedKeys {
  readonly keyring: Keyring;
  readonly dataKey: DataKey;
  /** Old data key while a store is rekeyed; seals the data that the new one does not yet. */
  readonly previous: DataKey | undefined;
}

/**
 * Reads the keyring. Returns `undefined` for a store without keys, which is in the clear.
 *
 * @throws KEY_UNAVAILABLE for a damaged keyring; UNSUPPORTED_VERSION; STORAGE_UNAVAILABLE
 */
export async function readKeyring(files: KeyFiles): Promise<Keyring | undefined> {
  const bytes = await files.read("store", isReadableKeyring);
  if (bytes === undefined) return undefined;
  return parseKeyring(bytes) ?? unusable("The store's keyring is damaged.", FROM_BACKUP);
}

/** Restores every copy of the keyring from the first. Call only with an opened keyring, since a manipulated one may look intact. */
export function mendKeyring(files: KeyFiles): Promise<void> {
  return files.mend("store", isReadableKeyring);
}

/** Copies a store's keyring to another store. */
export async function copyKeyring(from: KeyFiles, to: KeyFiles): Promise<void> {
  const bytes = await from.read("store", isReadableKeyring);
  if (bytes !== undefined) await to.write("store", bytes, "replace");
}

/** Tells whether bytes are a keyring without disk errors. */
export function isReadableKeyring(bytes: Uint8Array): boolean {
  return parseKeyring(bytes) !== undefined;
}

/** Tells whether the keyring has a recovery key. */
export function hasRecoveryKey({ dataKey }: Keyring): boolean {
  return dataKey.wraps.some(({ kind }) => kind === "recovery");
}

/** Returns the kind of the source of a keyring's key, other than the recovery key. */
export function sourceKindOf({ dataKey }: Keyring): KeySource["kind"] | undefined {
  return dataKey.wraps.find(({ kind }) => kind !== "recovery")?.kind;
}

/**
 * Creates the keys of a store without any, in the given state.
 *
 * @throws KEY_UNAVAILABLE when the source provides no key; the store then stays without keys.
 */
export async function createKeyring(files: KeyFiles, source: KeySource, state: KeyringState): Promise<OpenedKeys> {
  const [storeId, dataKey] = [randomUUID(), freshKey()];
  const keyring = { storeId, state, dataKey: { id: dataKey.id, wraps: [await wrapBy(source, storeId, dataKey)] } };
  return write(files, keyring, { dataKey, previous: undefined });
}

/**
 * Unwraps the keys, and verifies the keyring.
 *
 * @throws KEY_UNAVAILABLE when the source's key is not the wrapping key, or the keyring was manipulated.
 */
export async function openKeyring(keyring: Keyring, source: KeySource): Promise<OpenedKeys> {
  const dataKey = await unwrap(keyring.dataKey, source);
  const { mac: told, ...rest } = keyring;
  if (!isSame(Buffer.from(told, "base64"), macOf(rest, dataKey))) unusable("The store's keyring was changed without the key.", FROM_BACKUP);
  return { keyring, dataKey, previous: previousOf(keyring, dataKey) };
}

/** Writes a new state of the store. Every state except `rekeying` drops the old data key. */
export async function writeKeyringState(files: KeyFiles, keys: OpenedKeys, state: KeyringState): Promise<OpenedKeys> {
  const { mac: _mac, previous, ...keyring } = keys.keyring;
  const kept = state === "rekeying" && previous !== undefined ? { previous } : {};
  return write(files, { ...keyring, ...kept, state }, { ...keys, previous: state === "rekeying" ? keys.previous : undefined });
}

/**
 * Wraps the data key with a new recovery key, which replaces the old one.
 *
 * @returns the recovery key, which is stored nowhere.
 */
export async function addRecoveryKey(files: KeyFiles, keys: OpenedKeys): Promise<string> {
  const { mac: _mac, ...keyring } = keys.keyring;
  const { wrap, recoveryKey } = await wrapForRecovery(keyring.storeId, keys.dataKey);
  const wraps = [...keyring.dataKey.wraps.filter(({ kind }) => kind !== "recovery"), wrap];
  await write(files, { ...keyring, dataKey: { id: keys.dataKey.id, wraps } }, keys);
  return recoveryKey;
}

/** Sources of the present key and of its successor. */
export interface KeyChange {
  readonly from: KeySource;
  readonly to: KeySource;
}

/**
 * Wraps the data key with another key, which replaces all wraps, and with a new recovery key. Sealed data stays unchanged. One
 * file is replaced atomically: before, the old key opens the store, afterwards the new one.
 *
 * @throws KEY_UNAVAILABLE when the new source provides no key; the old key then stays valid.
 */
export async function rewrapKeyring(files: KeyFiles, keys: OpenedKeys, { from, to }: KeyChange): Promise<{ readonly recoveryKey: string }> {
  const { mac: _mac, ...keyring } = keys.keyring;
  const { wrap, recoveryKey } = await wrapForRecovery(keyring.storeId, keys.dataKey);
  const wraps = [await wrapBy(to, keyring.storeId, keys.dataKey), wrap];
  await write(files, { ...keyring, dataKey: { id: keys.dataKey.id, wraps } }, keys);
  await forgetKey(keys.keyring, from);
  return { recoveryKey };
}

/**
 * Creates a new data key, wrapped by another key, to replace the present one. The new key wraps the old data key until
 * `writeKeyringState` ends the change. From the call on, neither the old key nor the old recovery key opens the store.
 *
 * @throws KEY_UNAVAILABLE when the new source provides no key; the old key then stays valid.
 */
export async function replaceDataKey(files: KeyFiles, keys: OpenedKeys, { from, to }: KeyChange): Promise<OpenedKeys> {
  const { storeId } = keys.keyring;
  const [old, dataKey] = [keys.dataKey, freshKey()];
  const previous = { id: old.id, wrapped: wrapKey(dataKey.bytes, old.bytes, previousPurposeOf(old.id)).toString("base64") };
  const wrapped = { id: dataKey.id, wraps: [await wrapBy(to, storeId, dataKey)] };
  const opened = await write(files, { storeId, state: "rekeying", dataKey: wrapped, previous }, { dataKey, previous: old });
  await forgetKey(keys.keyring, from);
  return opened;
}

function freshKey(): DataKey {
  return { id: randomBytes(6).toString("hex"), bytes: randomBytes(KEY_BYTES) };
}

async function wrapBy(source: KeySource, storeId: string, dataKey: DataKey): Promise<Wrap> {
  const { key, found } = await source.make(storeId);
  return wrapOf(dataKey, { kind: source.kind, found }, key);
}

async function wrapForRecovery(storeId: string, dataKey: DataKey): Promise<{ readonly wrap: Wrap; readonly recoveryKey: string }> {
  const { key } = await keyFromRecovery().make(storeId);
  return { wrap: wrapOf(dataKey, { kind: "recovery", found: {} }, key), recoveryKey: recoveryText(key) };
}

function wrapOf(dataKey: DataKey, { kind, found }: Omit<Wrap, "wrapped">, by: Uint8Array): Wrap {
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

function previousOf({ previous }: Keyring, dataKey: DataKey): DataKey | undefined {
  if (previous === undefined) return undefined;
  const bytes = unwrapKey(dataKey.bytes, Buffer.from(previous.wrapped, "base64"), previousPurposeOf(previous.id));
  return bytes === undefined ? unusable("The store's keyring is damaged.", FROM_BACKUP) : { id: previous.id, bytes };
}

/** Deletes the old key where Workrail manages it; a key kept by the user stays. */
async function forgetKey({ dataKey }: Keyring, source: KeySource): Promise<void> {
  const old = dataKey.wraps.find(({ kind }) => kind === source.kind);
  if (old !== undefined) await source.forget?.(old.found);
}

function purposeOf(id: string, kind: Wrap["kind"]): string {
  return `workrail data key 1 ${id} ${kind}`;
}

function previousPurposeOf(id: string): string {
  return `workrail previous data key 1 ${id}`;
}

function macOf(keyring: Omit<Keyring, "mac">, { bytes }: DataKey): Uint8Array {
  return mac(deriveKey(bytes, "workrail keyring 1"), Buffer.from(JSON.stringify(keyring)));
}

async function write(
  files: KeyFiles,
  unsigned: Omit<Keyring, "mac">,
  { dataKey, previous }: Omit<OpenedKeys, "keyring">,
): Promise<OpenedKeys> {
  const keyring: Keyring = { ...unsigned, mac: Buffer.from(macOf(unsigned, dataKey)).toString("base64") };
  const text = JSON.stringify({ workrailKeyring: FORMAT, check: checkOf(keyring), ...keyring }, undefined, 2);
  await files.write("store", Buffer.from(`${text}\n`), "replace");
  return { keyring, dataKey, previous };
}

/** Parses the keyring. Returns `undefined` for anything in another format. */
function parseKeyring(bytes: Uint8Array): Keyring | undefined {
  const { workrailKeyring, check, ...keyring } = parse(bytes) ?? {};
  if (typeof workrailKeyring === "number" && workrailKeyring > FORMAT) {
    throw new WorkrailError("UNSUPPORTED_VERSION", "A newer version of Workrail sealed this store.", { hint: "Update Workrail." });
  }
  return workrailKeyring === FORMAT && check === checkOf(keyring) && isKeyring(keyring) ? keyring : undefined;
}

/** Checks the outer structure of an untrusted keyring. The `mac` authenticates all of it. */
function isKeyring(keyring: object): keyring is Keyring {
  const { dataKey, mac: told } = keyring as JsonObject;
  return typeof told === "string" && isJsonObject(dataKey) && Array.isArray(dataKey["wraps"]) && dataKey["wraps"].every(isJsonObject);
}

function parse(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a checksum that detects disk errors, so that the second copy is used. */
function checkOf(keyring: object): string {
  return createHash("sha256").update(JSON.stringify(keyring)).digest("hex").slice(0, 16);
}

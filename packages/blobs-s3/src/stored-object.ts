import { type BlobRef, OBJECT_POINTER } from "@workrail/core";
import { hash, randomBytes } from "node:crypto";

/** Object that holds the bytes of a blob. No two writes use the same name. */
export interface StoredObject {
  /** Id of the store that wrote the object. */
  readonly store: string;
  /** Name of the object below the store: a folder for each ref, then the digest of the bytes and a random part. */
  readonly name: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
  readonly sizeBytes: number;
}

const POINTER = new RegExp(
  `^(${OBJECT_POINTER}([0-9a-f]{32})/([0-9a-f]{64}/([0-9a-f]{64})\\.[0-9a-f]{16}) (\\d{1,15})) ([0-9a-f]{16})\\n$`,
  "u",
);
/** Longest pointer, so that large blobs are not decoded. */
const LONGEST = 256;

/** Names a new object for bytes that are stored under a ref. */
export function newObject(store: string, ref: BlobRef, bytes: Uint8Array): StoredObject {
  const digest = digestOf(bytes);
  return { store, name: `${folderOf(ref)}/${digest}.${randomBytes(8).toString("hex")}`, digest, sizeBytes: bytes.length };
}

/** Name of the folder that holds the objects of a ref, whatever characters the ref has. */
export function folderOf(ref: BlobRef): string {
  return hash("sha256", ref, "hex");
}

export function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/** Writes the pointer that the catalog's own blob store keeps in the place of the bytes. */
export function pointerTo({ store, name, sizeBytes }: StoredObject): Uint8Array {
  const text = `${OBJECT_POINTER}${store}/${name} ${sizeBytes}`;
  return new TextEncoder().encode(`${text} ${checkOf(text)}\n`);
}

/** Reads a pointer; `undefined` for the bytes of a blob, and for a damaged pointer. */
export function pointedTo(bytes: Uint8Array): StoredObject | undefined {
  if (bytes.length > LONGEST) return undefined;
  const [, text, store, name, digest, size, check] = POINTER.exec(new TextDecoder("latin1").decode(bytes)) ?? [];
  if (text === undefined || store === undefined || name === undefined || digest === undefined) return undefined;
  // A pointer with another digit would let a collection take the real object for an abandoned one.
  if (check !== checkOf(text)) return undefined;
  return { store, name, digest, sizeBytes: Number(size) };
}

function checkOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}

/** Key of an object. */
export function keyOf({ store, name }: Pick<StoredObject, "store" | "name">): string {
  return `${store}/blobs/${name}`;
}

/** Key of the copy of an object in quarantine. */
export function quarantineKeyOf({ store, name }: Pick<StoredObject, "store" | "name">): string {
  return `${store}/quarantine/${name}`;
}

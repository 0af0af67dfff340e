import type { BlobRef, KeyFiles, KeyPlace } from "@workrail/core";
import type { MemoryDisk } from "./memory-disk.ts";

/** Key files in a map, without a second copy. */
export class MemoryKeyFiles implements KeyFiles {
  readonly #keys: MemoryDisk["keys"];
  readonly #blobs: MemoryDisk["blobs"];
  readonly #quarantine: MemoryDisk["quarantine"];

  constructor(disk: MemoryDisk) {
    this.#keys = disk.keys;
    this.#blobs = disk.blobs;
    this.#quarantine = disk.quarantine;
  }

  async read(place: KeyPlace): Promise<Uint8Array | undefined> {
    const bytes = this.#keys.get(nameOf(place));
    return bytes === undefined ? undefined : Uint8Array.from(bytes);
  }

  async write(place: KeyPlace, bytes: Uint8Array, mode: "if-absent" | "replace"): Promise<boolean> {
    if (mode === "if-absent" && this.#keys.has(nameOf(place))) return false;
    this.#keys.set(nameOf(place), Uint8Array.from(bytes));
    return true;
  }

  async mend(): Promise<void> {}

  async *sessions(): AsyncGenerator<BlobRef> {
    for (const name of this.#keys.keys()) if (name !== "store") yield `${name}/any` as BlobRef;
  }

  async destroy(place: BlobRef): Promise<void> {
    this.#keys.delete(nameOf(place));
    for (const ref of this.#blobs.keys()) if (nameOf(ref) === nameOf(place)) this.#blobs.delete(ref);
    const aside = `quarantine/${nameOf(place)}/`;
    for (const each of this.#quarantine.keys()) if (each.startsWith(aside)) this.#quarantine.delete(each);
  }

  async destroyAll(): Promise<void> {
    this.#keys.clear();
  }
}

function nameOf(place: KeyPlace): string {
  return place === "store" ? place : place.slice(0, place.lastIndexOf("/"));
}

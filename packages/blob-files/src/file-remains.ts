import path from "node:path";
import type { Remain, Remains } from "@workrail/core";
import { isTemporary, removeIfPresent } from "./durable-files.ts";
import { hasKeyring } from "./file-key-files.ts";
import { fileError } from "./file-errors.ts";
import { leftoversIn, removeLeftovers } from "./leftovers.ts";
import type { FileSystem } from "./file-system.ts";
import { BACKUPS, CATALOG_COPY, CONTEXTS, EXPORTS, FACTS_COPY, isReplacedStore, QUARANTINE, SCHEMA_COPY } from "./paths.ts";

/** Finds and removes leftovers of earlier times in a data directory. */
export class FileRemains implements Remains {
  readonly #dataDir: string;
  readonly #fs: FileSystem;

  constructor(dataDir: string, fs: FileSystem) {
    this.#dataDir = dataDir;
    this.#fs = fs;
  }

  async removeCatalogCopies(): Promise<readonly string[]> {
    const contexts = path.join(this.#dataDir, CONTEXTS);
    try {
      const removed = [
        ...(await this.#removeFrom(this.#dataDir, CATALOG_COPY)),
        ...(await this.#removeFrom(path.join(this.#dataDir, BACKUPS), SCHEMA_COPY)),
      ];
      await this.#removeFrom(contexts, undefined);
      for (const session of this.#directoriesIn(contexts)) removed.push(...(await this.#removeFrom(session, FACTS_COPY)));
      return removed;
    } catch (error) {
      throw fileError(error, this.#dataDir);
    }
  }

  async leftovers(): Promise<readonly string[]> {
    try {
      return leftoversIn(this.#fs, this.#dataDir);
    } catch (error) {
      throw fileError(error, this.#dataDir);
    }
  }

  removeLeftovers(): Promise<readonly string[]> {
    return removeLeftovers(this.#fs, this.#dataDir);
  }

  async *list(isSealed: (bytes: Uint8Array) => boolean): AsyncGenerator<Remain> {
    try {
      for (const place of this.#filesBelow(path.join(this.#dataDir, QUARANTINE))) {
        const bytes = await this.#fs.read(place);
        if (bytes !== undefined) yield { place, isSealed: isSealed(bytes) };
      }
      for (const place of this.#filesBelow(path.join(this.#dataDir, EXPORTS))) yield { place, isSealed: false };
      for (const place of this.#directoriesIn(this.#dataDir)) {
        if (isReplacedStore(path.basename(place))) yield { place, isSealed: hasKeyring(place) };
        // Part of a backup, from a restore that was not completed.
        if (isTemporary(path.basename(place))) yield { place, isSealed: false };
      }
    } catch (error) {
      throw fileError(error, this.#dataDir);
    }
  }

  /** Removes temporary files as well, since no process is writing one now. They are not reported, because they hold no data of their own. */
  async #removeFrom(directory: string, copies: RegExp | undefined): Promise<readonly string[]> {
    const names = this.#fs.list(directory).filter((name) => copies?.test(name) === true || isTemporary(name));
    const files = names.filter((name) => this.#fs.inspect(path.join(directory, name))?.kind === "file");
    for (const name of files) removeIfPresent(this.#fs, path.join(directory, name));
    if (files.length > 0) await this.#fs.syncDirectory(directory);
    return files.filter((name) => !isTemporary(name)).map((name) => path.join(directory, name));
  }

  /** Does not follow links. */
  #filesBelow(directory: string): readonly string[] {
    if (this.#fs.inspect(directory)?.kind !== "directory") return [];
    return this.#fs.list(directory).flatMap((name) => {
      const place = path.join(directory, name);
      const kind = this.#fs.inspect(place)?.kind;
      if (kind === "directory") return this.#filesBelow(place);
      return kind === "file" ? [place] : [];
    });
  }

  #directoriesIn(directory: string): readonly string[] {
    const all = this.#fs.list(directory).map((name) => path.join(directory, name));
    return all.filter((each) => this.#fs.inspect(each)?.kind === "directory");
  }
}

import path from "node:path";
import { catalogDamaged, type FileSystem, JOURNAL, setAside, writeAll, writeDurably } from "@workrail/blob-files";
import { type CatalogEntries, CatalogState } from "@workrail/core";
import { decodeLine, encodeLine, type JournalLine } from "./journal-line.ts";

/** A journal may be this large, and then three times as large as when it was last written anew. */
const SMALL_BYTES = 1024 * 1024;
const LARGEST_GROWTH = 3;
const LINE_FEED = 0x0a;

/**
 * The file `catalog.jsonl`: a line for each change of the catalog. Its first line tells everything that was known when
 * it was written; it is written anew, whole and under the same name, when the changes behind it have come to outweigh it.
 */
export class CatalogJournal {
  readonly file: string;
  readonly #fs: FileSystem;
  #revision = 0;
  /** The file as it was when it was last seen, and the descriptor for writing to it. */
  #identity: string | undefined;
  #fd: number | undefined;
  #sizeBytes = 0;
  #largestBytes = 0;
  /** Nothing may be written behind what it ends with, or nobody knows whether that is durable. */
  #mustBeRewritten = false;

  constructor(dataDir: string, fs: FileSystem) {
    this.file = path.join(dataDir, JOURNAL);
    this.#fs = fs;
  }

  /** The number of the last change that is in it. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether somebody removed or replaced the file since it was read. */
  get isReplaced(): boolean {
    return this.#fs.inspect(this.file)?.identity !== this.#identity;
  }

  /**
   * Reads it. A last line that was not written to its end was never acknowledged, and is passed over.
   *
   * @returns `undefined` when there is none, or it is empty.
   * @throws STORAGE_UNAVAILABLE with the reason `catalog-damaged`; UNSUPPORTED_VERSION; Node's errors.
   */
  async read(): Promise<CatalogState | undefined> {
    this.close();
    this.#identity = this.#fs.inspect(this.file)?.identity;
    const bytes = await this.#fs.read(this.file);
    const lines = this.#parse(Buffer.from(bytes ?? []).toString("utf8"));
    this.#revision = lines.at(-1)?.revision ?? 0;
    this.#sizeBytes = bytes?.length ?? 0;
    this.#allow(bytes === undefined ? 0 : bytes.indexOf(LINE_FEED));
    return lines.length === 0 ? undefined : CatalogState.from(lines.map(({ entries }) => entries));
  }

  /** Makes a change durable. `all` gives everything that is known after it. */
  async record(changes: CatalogEntries, all: () => CatalogEntries): Promise<void> {
    if (this.#mustBeRewritten || this.#sizeBytes > this.#largestBytes) return this.rewrite(all());
    const line = encodeLine({ revision: this.#revision + 1, entries: changes });
    // Until all of it is on the disk nobody knows how much of it is there.
    this.#mustBeRewritten = true;
    this.#fd ??= this.#fs.append(this.file);
    writeAll(this.#fs, this.#fd, line);
    await this.#fs.sync(this.#fd);
    this.#wrote(line.length);
  }

  /** Puts one that tells just this in the place of what is there. */
  async rewrite(all: CatalogEntries): Promise<void> {
    const line = encodeLine({ revision: this.#revision + 1, entries: all });
    // Windows lets nobody replace a file that is open.
    this.close();
    this.#mustBeRewritten = true;
    await writeDurably(this.#fs, this.file, line, "replace");
    this.#identity = this.#fs.inspect(this.file)?.identity;
    this.#sizeBytes = 0;
    this.#wrote(line.length);
    this.#allow(line.length);
  }

  /** The same, with what is there kept aside. */
  async replace(all: CatalogEntries): Promise<void> {
    this.close();
    const putBack = setAside(this.#fs, this.file);
    try {
      await this.rewrite(all);
    } catch (error) {
      putBack();
      throw error;
    }
  }

  /** From now on a change is only durable if the whole of it is written anew. */
  distrust(): void {
    this.#mustBeRewritten = true;
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) this.#fs.close(fd);
  }

  #allow(firstLineBytes: number): void {
    this.#largestBytes = Math.max(SMALL_BYTES, LARGEST_GROWTH * firstLineBytes);
  }

  #wrote(bytes: number): void {
    this.#revision += 1;
    this.#sizeBytes += bytes;
    this.#mustBeRewritten = false;
  }

  #parse(text: string): readonly JournalLine[] {
    const texts = text.split("\n");
    const last = texts.pop() ?? "";
    const lines: JournalLine[] = [];
    for (const each of texts) lines.push(this.#follow(lines.at(-1), decodeLine(each)));
    // It may lack the line feed that ends it, or have another byte in that place: all that it tells is there.
    const ending = last === "" ? undefined : (decodeLine(last) ?? decodeLine(last.slice(0, -1)));
    if (ending !== undefined) lines.push(this.#follow(lines.at(-1), ending));
    this.#mustBeRewritten = last !== "" || lines.length === 0;
    return lines;
  }

  #follow(before: JournalLine | undefined, line: JournalLine | undefined): JournalLine {
    if (line !== undefined && (before === undefined || line.revision === before.revision + 1)) return line;
    throw catalogDamaged(this.file);
  }
}

import path from "node:path";
import { catalogDamaged, type FileSystem, JOURNAL, setAside, writeAll, writeDurably } from "@workrail/blob-files";
import type { JournalEntries } from "./journal-entries.ts";
import { decodeLine, encodeLine, type JournalLine } from "./journal-line.ts";

/** Smallest limit of the journal's size; the limit is otherwise three times its size after the last rewrite. */
const SMALL_BYTES = 1024 * 1024;
const LARGEST_GROWTH = 3;
const LINE_FEED = 0x0a;

/**
 * The file `catalog.jsonl`: one line for each change of the catalog. The first line is a complete snapshot. The file is rewritten as a
 * whole, under the same name, when the changes outgrow the snapshot.
 */
export class CatalogJournal {
  readonly file: string;
  readonly #fs: FileSystem;
  #revision = 0;
  /** Identity of the file when it was last read, and the descriptor for writing. */
  #identity: string | undefined;
  #fd: number | undefined;
  #sizeBytes = 0;
  #largestBytes = 0;
  /** True when nothing may be appended after the current end, or the end may not be durable. */
  #mustBeRewritten = false;

  constructor(dataDir: string, fs: FileSystem) {
    this.file = path.join(dataDir, JOURNAL);
    this.#fs = fs;
  }

  /** Number of the last change in the file. */
  get revision(): number {
    return this.#revision;
  }

  /** True when the file was removed or replaced since it was read. */
  get isReplaced(): boolean {
    return this.#fs.inspect(this.file)?.identity !== this.#identity;
  }

  /**
   * Reads the entries of each line. An incomplete last line was never acknowledged, and is ignored.
   *
   * @returns `undefined` when the file is missing or empty.
   * @throws STORAGE_UNAVAILABLE with the reason `catalog-damaged`; UNSUPPORTED_VERSION; Node's errors.
   */
  async read(): Promise<readonly JournalEntries[] | undefined> {
    this.close();
    this.#identity = this.#fs.inspect(this.file)?.identity;
    const bytes = await this.#fs.read(this.file);
    const lines = this.#parse(Buffer.from(bytes ?? []).toString("utf8"));
    this.#revision = lines.at(-1)?.revision ?? 0;
    this.#sizeBytes = bytes?.length ?? 0;
    this.#allow(bytes === undefined ? 0 : bytes.indexOf(LINE_FEED));
    return lines.length === 0 ? undefined : lines.map(({ entries }) => entries);
  }

  /** Makes a change durable. `all` returns the whole content after it. */
  async record(changes: JournalEntries, all: () => JournalEntries): Promise<void> {
    if (this.#mustBeRewritten || this.#sizeBytes > this.#largestBytes) return this.rewrite(all());
    const line = encodeLine({ revision: this.#revision + 1, entries: changes });
    // Until the sync is done, the end of the file is unknown.
    this.#mustBeRewritten = true;
    this.#fd ??= this.#fs.append(this.file);
    writeAll(this.#fs, this.#fd, line);
    await this.#fs.sync(this.#fd);
    this.#wrote(line.length);
  }

  /** Replaces the journal by one with just this content. */
  async rewrite(all: JournalEntries): Promise<void> {
    const line = encodeLine({ revision: this.#revision + 1, entries: all });
    // Windows does not allow replacing an open file.
    this.close();
    this.#mustBeRewritten = true;
    await writeDurably(this.#fs, this.file, { bytes: line, mode: "replace" });
    this.#identity = this.#fs.inspect(this.file)?.identity;
    this.#sizeBytes = 0;
    this.#wrote(line.length);
    this.#allow(line.length);
  }

  /** Replaces the journal and keeps the old one aside. */
  async replace(all: JournalEntries): Promise<void> {
    this.close();
    const putBack = setAside(this.#fs, this.file);
    try {
      await this.rewrite(all);
    } catch (error) {
      putBack();
      throw error;
    }
  }

  /** Requires a rewrite of the whole journal before the next change counts as durable. */
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
    // The final line feed may be missing or damaged while the line itself is complete.
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

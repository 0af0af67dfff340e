import { hash } from "node:crypto";
import {
  type AuditEvent,
  type BlobRef,
  type CatalogRecovery,
  CatalogState,
  type NewRecord,
  type SessionFacts,
  StateCatalog,
} from "@workrail/core";
import { type Files, ifThere, translated, writeDurably } from "./durable-file.ts";
import type { FolderBlobStore } from "./folder-blob-store.ts";

/**
 * The catalog in one file, which each change replaces: atomic and durable, because replacing the file is. What is in it,
 * and what may be changed, is `CatalogState`'s business.
 */
export class FileCatalog extends StateCatalog implements CatalogRecovery {
  readonly #files: Files;
  readonly #file: string;
  readonly #blobs: FolderBlobStore;
  #state = new CatalogState();
  /** Of `#state`, as it is in the file. */
  #text = "";
  /** Whether the file is known to hold `#text`, and durable. */
  #isSettled = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(files: Files, file: string, blobs: FolderBlobStore) {
    super((text) => hash("sha256", text, "hex"));
    this.#files = files;
    this.#file = file;
    this.#blobs = blobs;
  }

  static async open(files: Files, file: string, blobs: FolderBlobStore): Promise<FileCatalog> {
    const catalog = new FileCatalog(files, file, blobs);
    await catalog.#alone(() => catalog.#settle());
    return catalog;
  }

  /** All of it is read whenever it is opened. */
  async examine(): Promise<void> {}

  async needsRebuild(): Promise<boolean> {
    if (!(await this.look((state) => state.isPristine))) return false;
    for await (const _ of this.#blobs.list()) return true;
    return false;
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    yield* await this.look((state) => state.facts());
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    const given = structuredClone({ records, sessions, audit });
    return this.inTurn(async () => {
      const state = new CatalogState();
      state.fill(given, { refOf: (key) => this.#blobs.refOf(key), digest: this.auditDigest });
      await this.#replaceBy(state);
    });
  }

  /** What is seen stays: after a change that failed it is what the file then says, and nobody looks before that is known. */
  protected async look<T>(look: (state: CatalogState) => T): Promise<T> {
    if (!this.#isSettled) await this.#alone(() => this.#settle());
    return structuredClone(look(this.#state));
  }

  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      await this.#settle();
      return work();
    });
  }

  /** Changes a copy, and then the file. Nobody sees the copy before it is durable. */
  protected async apply<T>(change: (state: CatalogState) => T): Promise<T> {
    const state = CatalogState.fromJson(this.#text);
    const result = structuredClone(change(state));
    // Their facts are in the same file.
    state.changedFacts();
    state.takeForgotten();
    await this.#replaceBy(state);
    return result;
  }

  protected hasBlob(ref: BlobRef): Promise<boolean> {
    return this.#blobs.has(ref);
  }

  async #replaceBy(state: CatalogState): Promise<void> {
    const text = state.toJson();
    if (text !== this.#text) await this.#write(text);
    this.#state = state;
  }

  async #write(text: string): Promise<void> {
    this.#isSettled = false;
    // Where it fails after the file was replaced, nobody knows what a power cut would leave.
    await translated(writeDurably(this.#files, this.#file, Buffer.from(text), "replace"), { outcome: "unknown" });
    this.#text = text;
    this.#isSettled = true;
  }

  /** Before anything is decided or seen: what the file says, made durable again after a change that failed. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    const bytes = await translated(ifThere(this.#files.readFile(this.#file)));
    this.#state = bytes === undefined ? new CatalogState() : CatalogState.fromJson(bytes.toString());
    await this.#write(this.#state.toJson());
  }

  /** One after another. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

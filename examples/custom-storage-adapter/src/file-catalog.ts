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
 * A catalog in one JSON file. Each change replaces the whole file; the replacement is atomic and durable, and so the change is too.
 * `CatalogState` decides about the content and about which changes are allowed.
 */
export class FileCatalog extends StateCatalog implements CatalogRecovery {
  readonly #files: Files;
  readonly #file: string;
  readonly #blobs: FolderBlobStore;
  #state = new CatalogState();
  /** The JSON text of `#state`, as stored in the file. */
  #text = "";
  /** True when the file is known to hold `#text` durably. */
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

  /** Does nothing: opening already reads the whole file. */
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

  /**
   * Reads from the state in memory. After a failed change, the file is read again first, so that a reader never sees a state that could
   * still vanish.
   */
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

  /** Changes a copy of the state, then replaces the file. Readers see the copy only once it is durable. */
  protected async apply<T>(change: (state: CatalogState) => T): Promise<T> {
    const state = CatalogState.fromJson(this.#text);
    const result = structuredClone(change(state));
    // Clears the lists of changed and forgotten sessions: the sessions' facts are in the same file.
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
    // When this fails after the file was replaced, it is unknown which of the two a power cut would leave.
    await translated(writeDurably(this.#files, this.#file, Buffer.from(text), "replace"), { outcome: "unknown" });
    this.#text = text;
    this.#isSettled = true;
  }

  /** Reads the file again after a failed change, and writes it again to make it durable. Runs before anything is decided or read. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    const bytes = await translated(ifThere(this.#files.readFile(this.#file)));
    this.#state = bytes === undefined ? new CatalogState() : CatalogState.fromJson(bytes.toString());
    await this.#write(this.#state.toJson());
  }

  /** Runs one piece of work after another. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

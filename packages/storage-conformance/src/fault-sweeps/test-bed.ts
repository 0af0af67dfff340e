import type { SessionId } from "@workrail/core";
import { SteppingClock } from "../builders.ts";
import { expect } from "vitest";
import { Faults, type StorageHarness } from "../harness.ts";
import { allRecords, proveAudit, proveCheckpoints, proveStore } from "../prove-store.ts";
import { randomIds } from "../environment.ts";
import { Workbench } from "../workbench.ts";
import type { Held, Scenario } from "./scenarios.ts";
import { storageInUse, type StorageInUse } from "../storage-in-use.ts";

/** A store under faults, and its sessions. */
export class TestBed {
  readonly faults: Faults = new Faults();
  readonly #harness: StorageHarness;
  readonly #place: string;
  readonly #options: Partial<Scenario>;
  readonly #clock = new SteppingClock();
  readonly #sessions: SessionId[] = [];
  #opened: { readonly storage: StorageInUse; readonly bench: Workbench } | undefined;

  private constructor(harness: StorageHarness, place: string, options: Partial<Scenario>) {
    this.#harness = harness;
    this.#place = place;
    this.#options = options;
  }

  static async create(harness: StorageHarness, options: Partial<Scenario>): Promise<TestBed> {
    const bed = new TestBed(harness, await harness.create(), options);
    await bed.open();
    return bed;
  }

  get storage(): StorageInUse {
    return this.#use().storage;
  }

  get bench(): Workbench {
    return this.#use().bench;
  }

  newSession(): SessionId {
    const sessionId = randomIds.sessionId();
    this.#sessions.push(sessionId);
    return sessionId;
  }

  /** Proves all sessions, destroys this test bed and creates a new one. */
  async replaced(after: Held): Promise<TestBed> {
    await this.proveAll(after);
    await this.destroy();
    return TestBed.create(this.#harness, this.#options);
  }

  /** Returns the content of a session, verified against its blobs and totals. */
  async proven(sessionId: SessionId): Promise<Held> {
    const { texts } = await proveCheckpoints(this.storage, { sessionId });
    return this.#heldAs([...texts.values()], sessionId);
  }

  /** Verifies the audit log. */
  proveAudit(): Promise<void> {
    return proveAudit(this.storage);
  }

  /** Returns the content of a session. */
  async held(sessionId: SessionId): Promise<Held> {
    const texts: string[] = [];
    for (const record of await allRecords(this.storage, { sessionId })) texts.push((await this.bench.read(record)).contextText());
    return this.#heldAs(texts, sessionId);
  }

  async #heldAs(texts: readonly string[], sessionId: SessionId): Promise<Held> {
    const steps = texts.map((text) => (JSON.parse(text) as { step?: unknown }).step);
    return { steps, pins: (await this.storage.catalog.session(sessionId))?.pins ?? [] };
  }

  /** Verifies the whole store, and expects every session to have the last step and the pins of `after`. */
  async proveAll(after: Held): Promise<void> {
    const { records, texts } = await proveStore(this.storage);
    const ofSessions = Map.groupBy(records, ({ sessionId }) => sessionId);
    for (const sessionId of this.#sessions) {
      const own = (ofSessions.get(sessionId) ?? []).map(({ id }) => texts.get(id) ?? "");
      const { steps, pins } = await this.#heldAs(own, sessionId);
      expect({ last: steps.at(-1), pins }).toEqual({ last: after.steps.at(-1), pins: after.pins });
    }
  }

  async open(): Promise<void> {
    const opened = await (this.#harness.openWithFaults?.(this.#place, this.faults) ?? Promise.reject(new Error("No faults.")));
    const storage = storageInUse(opened);
    const limits = { maxCheckpoints: this.#options.maxCheckpoints ?? Number.MAX_SAFE_INTEGER };
    const background = this.#options.reclaimsNothing === true ? { background: { run: () => undefined } } : {};
    this.#opened = { storage, bench: new Workbench(storage, { clock: this.#clock, limits, ...background }) };
  }

  async close(): Promise<void> {
    await this.#opened?.storage.close();
    this.#opened = undefined;
  }

  async reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  async destroy(): Promise<void> {
    await this.close();
    await this.#harness.destroy(this.#place);
  }

  #use(): { readonly storage: StorageInUse; readonly bench: Workbench } {
    if (this.#opened === undefined) throw new Error("The store is closed.");
    return this.#opened;
  }
}

import { it } from "vitest";
import type { StorageHarness } from "./harness.ts";
import { storageInUse, type StorageInUse } from "./storage-in-use.ts";

/** A store of the adapter for one test. */
export class StoreUnderTest {
  readonly place: string;
  readonly #harness: StorageHarness;
  readonly #opened = new Set<StorageInUse>();
  #storage: StorageInUse;

  private constructor(harness: StorageHarness, place: string, storage: StorageInUse) {
    this.#harness = harness;
    this.place = place;
    this.#storage = storage;
    this.#opened.add(storage);
  }

  static async create(harness: StorageHarness): Promise<StoreUnderTest> {
    const place = await harness.create();
    return new StoreUnderTest(harness, place, storageInUse(await harness.open(place)));
  }

  get storage(): StorageInUse {
    return this.#storage;
  }

  /** Opens the store once more, beside the other openers. */
  async openAnother(): Promise<StorageInUse> {
    const another = storageInUse(await this.#harness.open(this.place));
    this.#opened.add(another);
    return another;
  }

  async close(): Promise<void> {
    for (const storage of this.#opened) await storage.close();
    this.#opened.clear();
  }

  /** Closes the store, runs `meanwhile`, and opens the store again. */
  async reopen(meanwhile?: () => Promise<void>): Promise<StorageInUse> {
    await this.close();
    await meanwhile?.();
    this.#storage = await this.openAnother();
    return this.#storage;
  }

  async destroy(): Promise<void> {
    await this.close();
    await this.#harness.destroy(this.place);
  }
}

/** Runs a test on a fresh store. */
export async function withStore<T>(harness: StorageHarness, test: (store: StoreUnderTest) => Promise<T>): Promise<T> {
  const store = await StoreUnderTest.create(harness);
  try {
    return await test(store);
  } finally {
    await store.destroy();
  }
}

/** Defines tests when the condition is met; otherwise defines one skipped test that names the reason. */
export function provided(condition: boolean, otherwise: string, tests: () => void): void {
  (condition ? tests : () => it.skipIf(!condition)(`not run: ${otherwise}`, () => undefined))();
}

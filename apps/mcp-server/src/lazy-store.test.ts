import type { Workrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { LazyStore } from "./lazy-store.ts";
import type { Progress } from "./progress.ts";

/** A store that counts its calls. */
function storeStub(): { readonly store: Workrail; readonly taken: () => number } {
  let taken = 0;
  const store = { takeIncoming: async () => void (taken += 1), close: async () => {} } as unknown as Workrail;
  return { store, taken: () => taken };
}

describe("a call that waits for the store", () => {
  it("learns how far opening is, as do all that wait, until it is served", async () => {
    const opening = Promise.withResolvers<Workrail>();
    let report: (progress: Progress) => void = () => {};
    const lazy = new LazyStore((tell) => {
      report = tell;
      return opening.promise;
    });
    const seen: (readonly [call: number, done: number])[] = [];
    const { signal } = new AbortController();
    const calls = [1, 2].map((call) => lazy.get({ signal, progress: ({ done }) => seen.push([call, done]) }));
    report({ done: 1, total: 2, message: "Reading" });
    opening.resolve(storeStub().store);
    await Promise.all(calls);
    report({ done: 2, total: 2, message: "Reading" });
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it("changes nothing when it is cancelled meanwhile, and the next call is served", async () => {
    const opening = Promise.withResolvers<Workrail>();
    const lazy = new LazyStore(() => opening.promise);
    const cancelling = new AbortController();
    const cancelled = lazy.get({ signal: cancelling.signal, progress: () => {} });
    cancelling.abort(new Error("no longer wanted"));
    const { store, taken } = storeStub();
    opening.resolve(store);
    await expect(cancelled).rejects.toThrow("no longer wanted");
    expect(taken()).toBe(0);
    expect(await lazy.get()).toBe(store);
  });
});

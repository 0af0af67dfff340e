import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CallsUnderWay } from "./calls-under-way.ts";

/** Records the order of events. */
function watch(): { readonly log: string[]; readonly note: (what: string) => () => Promise<void> } {
  const log: string[] = [];
  return { log, note: (what) => async () => void log.push(what) };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a change of files in the background", () => {
  it("starts at once when there was no answer lately", async () => {
    const { log, note } = watch();
    await new CallsUnderWay().betweenAnswers(note("changed"));
    expect(log).toEqual(["changed"]);
  });

  it("waits a moment after an answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(process, "uptime").mockReturnValue(1);
    const { log, note } = watch();
    const calls = new CallsUnderWay();
    await calls.track(note("answered"));
    const change = calls.betweenAnswers(note("changed"));
    await vi.advanceTimersByTimeAsync(10).then(note("looked"));
    await vi.advanceTimersByTimeAsync(10);
    await change;
    expect(log).toEqual(["answered", "looked", "changed"]);
  });

  it("runs during the next call, which is answered after it", async () => {
    const { log, note } = watch();
    const calls = new CallsUnderWay();
    await calls.track(note("answered"));
    const change = calls.betweenAnswers(() => sleep(3).then(note("changed")));
    await calls.track(() => sleep(1));
    await note("answered again")();
    await change;
    expect(log).toEqual(["answered", "changed", "answered again"]);
  });

  it("does not delay an answer when it is delayed itself", async () => {
    const calls = new CallsUnderWay();
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const change = calls.betweenAnswers(() => held);
    await expect(calls.track(async () => "answer")).resolves.toBe("answer");
    goOn();
    await change;
  });

  it("waits for nothing once the shutdown has begun", async () => {
    const { log, note } = watch();
    const calls = new CallsUnderWay();
    await calls.track(note("answered"));
    const change = calls.betweenAnswers(note("changed"));
    await calls.end();
    await change;
    expect(log).toEqual(["answered", "changed"]);
  });

  it("that fails rejects only for its own caller", async () => {
    const calls = new CallsUnderWay();
    const change = calls.betweenAnswers(async () => {
      await sleep(2);
      throw new Error("no room");
    });
    const call = calls.track(() => sleep(1).then(() => "answer"));
    await expect(change).rejects.toThrow("no room");
    await expect(call).resolves.toBe("answer");
  });
});

describe("work in the background", () => {
  it("continues at once when no call is waiting", async () => {
    const calls = new CallsUnderWay();
    await calls.track(async () => {});
    const { log, note } = watch();
    await Promise.all([
      calls.giveWay().then(note("worked")),
      Promise.resolve()
        .then(() => sleep(0))
        .then(note("later")),
    ]);
    expect(log).toEqual(["worked", "later"]);
  });

  it("gives way to calls, also to one that begins meanwhile", async () => {
    const { log, note } = watch();
    const calls = new CallsUnderWay();
    const first = calls.track(() => sleep(2).then(note("answered")));
    const work = calls.giveWay().then(note("worked"));
    const second = calls.track(() => sleep(4).then(note("answered again")));
    await Promise.all([first, work, second]);
    expect(log).toEqual(["answered", "answered again", "worked"]);
  });

  it("runs during a long call, and at the shutdown", async () => {
    const calls = new CallsUnderWay();
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    const call = calls.track(() => held);
    await expect(calls.giveWay()).resolves.toBeUndefined();
    const atTheEnd = calls.giveWay();
    const ended = calls.end();
    await expect(atTheEnd).resolves.toBeUndefined();
    goOn();
    await Promise.all([call, ended]);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { ProgressReporter } from "./progress.ts";

describe("a progress reporter", () => {
  let sent: unknown[];
  let now: number;

  beforeEach(() => {
    sent = [];
    now = 0;
  });

  function reporter(token: unknown): ProgressReporter {
    return new ProgressReporter({
      token,
      notify: async ({ method, params }) => {
        expect(method).toBe("notifications/progress");
        sent.push(params);
      },
      now: () => now,
    });
  }

  it("sends the first step, one every fifth of a second, and the last", () => {
    const { tell } = reporter("t");
    for (let done = 0; done <= 1_000; done += 1) {
      tell({ done, total: 1_000, message: "Reading" });
      now += 1;
    }
    expect(sent).toEqual(
      [0, 200, 400, 600, 800, 1_000].map((progress) => ({ progressToken: "t", progress, total: 1_000, message: "Reading" })),
    );
  });

  it("continues from one part to the next with growing numbers", () => {
    const { tell } = reporter(7);
    tell({ done: 3, total: 3, message: "Reading" });
    tell({ done: 0, total: 2, message: "Indexing" });
    tell({ done: 1, total: 2, message: "Indexing" });
    now = 1_000;
    tell({ done: 1, total: 2, message: "Indexing" });
    tell({ done: 2, total: 2, message: "Indexing" });
    expect(sent).toEqual([
      { progressToken: 7, progress: 3, total: 3, message: "Reading" },
      { progressToken: 7, progress: 4, total: 5, message: "Indexing" },
      { progressToken: 7, progress: 5, total: 5, message: "Indexing" },
    ]);
  });

  it("continues when the client has disconnected", async () => {
    const { tell } = new ProgressReporter({ token: "t", notify: () => Promise.reject(new Error("closed")), now: () => now });
    expect(() => tell({ done: 1, total: 1, message: "Reading" })).not.toThrow();
    // An unhandled rejection would fail the test.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("sends nothing after the end of the call, and nothing to a client that did not ask", () => {
    const ended = reporter("t");
    ended.end();
    ended.tell({ done: 1, total: 2, message: "Reading" });
    reporter(undefined).tell({ done: 1, total: 2, message: "Reading" });
    expect(sent).toEqual([]);
  });
});

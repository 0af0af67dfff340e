import { type Embedder, type Log, WorkrailError } from "@workrail/core";
import { beforeEach, expect, it } from "vitest";
import { REST_MS, restingAfterFailure } from "./resting-embedder.ts";

let now = 0;
let asked = 0;
let failure: Error | undefined;
let logged: string[] = [];

const ignore = (): void => undefined;
const log: Log = {
  debug: ignore,
  info: (message) => void logged.push(message),
  warn: (message) => void logged.push(message),
  error: ignore,
};
const embedder: Embedder = {
  name: "model",
  get dimensions() {
    return asked > 0 ? 1 : undefined;
  },
  async embed(texts) {
    asked += 1;
    if (failure !== undefined) throw failure;
    return texts.map(() => Float32Array.of(1));
  },
};

beforeEach(() => {
  [now, asked, failure, logged] = [0, 0, undefined, []];
});

function resting(): Embedder {
  return restingAfterFailure(embedder, { clock: { now: () => new Date(now) }, log });
}

it("passes calls through while they succeed", async () => {
  const same = resting();
  expect([same.name, same.dimensions]).toEqual(["model", undefined]);
  expect(await same.embed(["a", "b"], "text")).toEqual([Float32Array.of(1), Float32Array.of(1)]);
  expect([same.dimensions, asked, logged]).toEqual([1, 1, []]);
});

it("makes no calls for a while after a failure, and logs the failure and the recovery once each", async () => {
  const same = resting();
  failure = new Error("It is down.");
  for (now of [0, 1, REST_MS - 1]) await expect(same.embed(["a"], "query")).rejects.toThrow("It is down.");
  expect(asked).toBe(1);
  now = REST_MS;
  await expect(same.embed(["a"], "query")).rejects.toThrow("It is down.");
  expect(asked).toBe(2);
  failure = undefined;
  now = 2 * REST_MS;
  await same.embed(["a"], "query");
  expect(logged).toEqual(["the embedder failed: search uses words only", "the embedder answers again"]);
});

it("waits as long as the endpoint demands", async () => {
  const same = resting();
  failure = new WorkrailError("INTERNAL", "Too many requests.", { details: { retryAfterMs: 600_000 } });
  await expect(same.embed(["a"], "text")).rejects.toThrow("Too many requests.");
  now = 599_999;
  await expect(same.embed(["a"], "text")).rejects.toThrow("Too many requests.");
  expect(asked).toBe(1);
});

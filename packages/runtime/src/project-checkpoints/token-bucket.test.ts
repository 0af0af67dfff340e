import { expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

const RATE = { perMinute: 10, burst: 20 };

it("allows a burst of 20, then 10 per minute, and returns the wait", () => {
  const bucket = new TokenBucket(RATE, 0);
  for (let taken = 0; taken < 20; taken++) expect(bucket.take(0)).toBe(0);
  expect(bucket.take(0)).toBe(6_000);
  expect(bucket.take(5_000)).toBe(1_000);
  expect(bucket.take(6_000)).toBe(0);
  expect(bucket.take(6_000)).toBe(6_000);
  for (let taken = 0; taken < 10; taken++) expect(bucket.take(66_000)).toBe(0);
  expect(bucket.take(66_000)).toBe(6_000);
});

it("holds at most a burst after any rest", () => {
  const bucket = new TokenBucket(RATE, 0);
  bucket.take(0);
  expect(bucket.isFull(0)).toBe(false);
  expect(bucket.isFull(3_600_000)).toBe(true);
  for (let taken = 0; taken < 20; taken++) expect(bucket.take(3_600_000)).toBe(0);
  expect(bucket.take(3_600_000)).toBe(6_000);
});

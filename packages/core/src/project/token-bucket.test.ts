import { expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

const RATE = { perMinute: 10, burst: 20 };

it("lets a burst of 20 through, then 10 a minute, and says how long to wait", () => {
  const bucket = new TokenBucket(RATE, 0);
  for (let taken = 0; taken < 20; taken++) expect(bucket.take(0)).toBe(0);
  expect(bucket.take(0)).toBe(6_000);
  expect(bucket.take(5_000)).toBe(1_000);
  expect(bucket.take(6_000)).toBe(0);
  expect(bucket.take(6_000)).toBe(6_000);
  for (let taken = 0; taken < 10; taken++) expect(bucket.take(66_000)).toBe(0);
  expect(bucket.take(66_000)).toBe(6_000);
});

it("holds no more than a burst, however long it rests", () => {
  const bucket = new TokenBucket(RATE, 0);
  bucket.take(0);
  expect(bucket.isFull(0)).toBe(false);
  expect(bucket.isFull(3_600_000)).toBe(true);
  for (let taken = 0; taken < 20; taken++) expect(bucket.take(3_600_000)).toBe(0);
  expect(bucket.take(3_600_000)).toBe(6_000);
});

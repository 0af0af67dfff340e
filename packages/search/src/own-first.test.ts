import type { CheckpointRecord } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { ownProjectThreshold, ownFirst } from "./own-first.ts";

const hit = (id: string, project: string, score: number): { record: CheckpointRecord; score: number } => {
  return { record: { id, project } as CheckpointRecord, score };
};

describe("the own project", () => {
  it("ranks before hits that score at most 3 % more, and before no others", () => {
    const hits = [hit("best", "/other", 0.9), hit("nearly", "/other", 0.7), hit("own", "/own", 0.69), hit("far", "/own", 0.6)];
    expect(ownFirst(hits, "/own", ({ score }) => score).map(({ record }) => record.id)).toEqual(["best", "own", "nearly", "far"]);
  });

  it("keeps the order of equal scores in a project, and each checkpoint once", () => {
    const hits = [hit("one", "/own", 0.5), hit("two", "/own", 0.5), hit("one", "/own", 0.5)];
    expect(ownFirst(hits, "/own", ({ score }) => score).map(({ record }) => record.id)).toEqual(["one", "two"]);
  });

  it("ranks first from the score that `nearly` returns", () => {
    const hits = (score: number) => [hit("other", "/other", 0.5), hit("own", "/own", score)];
    const first = (score: number) => ownFirst(hits(score), "/own", (each) => each.score)[0]?.record.id;
    expect(first(ownProjectThreshold(0.5) + 0.001)).toBe("own");
    expect(first(ownProjectThreshold(0.5) - 0.001)).toBe("other");
  });
});

import { ALL, type BlobRef, type CheckpointId, type Read, type SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { prepared } from "./prepared.ts";
import { auditQuery, blobQuery, checkpointQuery, checkpointsQuery, erasuresQuery, placesQuery, removalsQuery } from "./read-queries.ts";

type Of<Name extends Read["of"]> = Extract<Read, { readonly of: Name }>;

const S = "s" as SessionId;
const IDS = ["a", "b"] as CheckpointId[];
const checkpoints: readonly Of<"checkpoints">[] = [
  { of: "checkpoints", where: { state: "live", sessionId: S, notKinds: ["aside"], damaged: false }, order: "newest", limit: 1 },
  { of: "checkpoints", where: { state: "any", ids: IDS }, order: "any", limit: 2, offset: 3 },
  { of: "checkpoints", where: { state: "any", ids: [] }, order: "any", limit: ALL },
  { of: "checkpoints", where: { state: "live", since: new Date(7), words: ["id"], tags: ["t"] }, order: "oldest", limit: 5, after: 9 },
  // Attributes may have any names.
  { of: "checkpoints", where: { state: "live", attributes: { id: "x", limit: 3, where: true } }, order: "newest", limit: 1 },
  { of: "checkpoints", where: { state: "live", attributes: { id: "y", limit: 4, where: false } }, order: "newest", limit: 1 },
];

describe("a prepared query", () => {
  /** Compiles each read for two tenants, twice and in another order, so that some are known by then; and anew. */
  const compiled = <R extends Read>(build: Parameters<typeof prepared<R, unknown>>[0], ...reads: readonly R[]) => {
    const asked = prepared(build);
    const all = [...reads, ...reads.toReversed()].flatMap((read) => ["one", "other"].map((tenant) => [tenant, read] as const));
    const textOf = ({ sql, parameters }: ReturnType<ReturnType<typeof build>["compile"]>) => ({ sql, parameters });
    return { kept: all.map((each) => textOf(asked(...each).compile())), anew: all.map((each) => textOf(build(...each).compile())) };
  };

  it("is the one that is built anew, whatever was asked before", () => {
    const places = checkpoints.map(({ where, limit }) => ({ of: "places", where, order: "oldest", limit }) as const);
    const removals: readonly Of<"removals">[] = [
      { of: "removals", sessionId: S },
      { of: "removals", blobs: [], limit: 1 },
      { of: "removals", isDone: false, isNoBase: true, limit: 2 },
    ];
    for (const { kept, anew } of [
      compiled(checkpointsQuery, ...checkpoints),
      compiled(placesQuery, ...places),
      compiled(checkpointQuery, ...IDS.map((id) => ({ of: "checkpoint", id }) as const)),
      compiled(blobQuery, ...IDS.map((id) => ({ of: "blob", ref: id as string as BlobRef }) as const)),
      compiled(removalsQuery, ...removals),
      compiled(erasuresQuery, { of: "erasures", blobs: ["x" as BlobRef] }, { of: "erasures", checkpointId: "a" as CheckpointId }),
      compiled(
        auditQuery,
        { of: "audit", query: { limit: 1 } },
        { of: "audit", query: { actions: ["save"], sessionId: S, at: new Date(3) } },
      ),
    ])
      expect(kept).toEqual(anew);
  });

  it("is right after more forms than are kept", () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ of: "audit", query: { after: index, limit: index } }) as const);
    const { kept, anew } = compiled(auditQuery, ...many);
    expect(kept).toEqual(anew);
  });
});

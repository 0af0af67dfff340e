import { type CheckpointRecord, isWorkrailError, type JsonObject } from "@workrail/core";
import { aRecord } from "@workrail/storage-conformance/builders";
import { describe, expect, it } from "vitest";
import { metadataOf, splitLabels } from "./metadata.ts";

const BARE: CheckpointRecord = {
  ...aRecord({ id: "checkpoint" as never, sessionId: "session" as never }),
  sequence: 3,
  lastAccessedAt: new Date("2026-01-02T00:00:00.000Z"),
  damaged: false,
  shieldedUntil: undefined,
};

describe("saved metadata", () => {
  it("is split into labels, the caller's own keys, and ours", () => {
    const labels = { name: "n", tags: ["t"], agentId: "a", ticket: 7, nested: { a: [1] }, contextHash: "x", sequence: 1 };
    expect(splitLabels(labels)).toEqual({
      name: "n",
      tags: ["t"],
      agentId: "a",
      attributes: { ticket: 7, nested: { a: [1] } },
      ignored: ["contextHash", "sequence"],
    });
  });

  it("may be missing, or hold keys without a value", () => {
    const nothing = { name: undefined, tags: undefined, agentId: undefined, attributes: {}, ignored: [] };
    expect(splitLabels()).toEqual(nothing);
    expect(splitLabels({ name: undefined, note: undefined, id: undefined })).toEqual(nothing);
  });

  it("keeps unusual keys unchanged, and in their order", () => {
    const labels = JSON.parse('{"z":1,"__proto__":{"a":1},"constructor":2,"toString":"x","10":3}') as JsonObject;
    expect(JSON.stringify(splitLabels(labels as never).attributes)).toBe(JSON.stringify(labels));
  });

  it("reports an agent that is not a text as ignored", () => {
    expect(splitLabels({ agentId: 7 })).toMatchObject({ agentId: undefined, attributes: {}, ignored: ["agentId"] });
  });

  it.each([null, "text", ["list"], 7])("must be an object: %j", (labels) => {
    expect(() => splitLabels(labels as never)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", details: { field: "metadata" } }));
  });
});

describe("returned metadata", () => {
  it("has the specification's fields, and no field without a value", () => {
    expect(metadataOf(BARE)).toEqual({
      id: "checkpoint",
      sessionId: "session",
      createdAt: "2026-01-01T00:00:00.000Z",
      lastAccessedAt: "2026-01-02T00:00:00.000Z",
      contextSizeBytes: 60,
      contextHash: BARE.canonicalDigest,
      blobPath: "contexts/session/checkpoint.json.gz",
      parentId: null,
      kind: "workflow",
      sequence: 3,
    });
  });

  it("has the caller's own keys, which cannot replace ours", () => {
    const attributes = { ticket: 7, id: "forged", sequence: 99 };
    expect(metadataOf({ ...BARE, attributes }, ["plan"])).toMatchObject({
      id: "checkpoint",
      sequence: 3,
      ticket: 7,
      criticalKeys: ["plan"],
    });
  });

  it("can be saved again unchanged", () => {
    const metadata = metadataOf({ ...BARE, name: "n", tags: ["t"], agentId: "a", attributes: { ticket: 7 } }, ["plan"]);
    const split = splitLabels(metadata);
    expect(split).toMatchObject({ name: "n", tags: ["t"], agentId: "a", attributes: { ticket: 7 } });
    expect(split.ignored).toEqual(Object.keys(metadata).filter((key) => !["name", "tags", "agentId", "ticket"].includes(key)));
    expect(isWorkrailError(split)).toBe(false);
  });
});

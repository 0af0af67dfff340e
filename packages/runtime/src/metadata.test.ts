import { type CheckpointRecord, isWorkrailError, type JsonObject } from "@workrail/core";
import { aRecord } from "@workrail/storage-conformance/builders";
import { describe, expect, it } from "vitest";
import { flatMetadata, nestedMetadata } from "./flat-metadata.ts";
import { metadataOf, splitLabels } from "./metadata.ts";

const BARE: CheckpointRecord = {
  ...aRecord({ id: "checkpoint" as never, sessionId: "session" as never }),
  sequence: 3,
  lastAccessedAt: new Date("2026-01-02T00:00:00.000Z"),
  damaged: false,
  shieldedUntil: undefined,
};

describe("saved metadata", () => {
  it("is split into labels, the caller's keys, and Workrail's keys", () => {
    const labels = { name: "n", tags: ["t"], agentId: "a", attributes: { ticket: 7, nested: { a: [1] } }, contextHash: "x", sequence: 1 };
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
    expect(splitLabels({ name: undefined, attributes: { note: undefined } })).toEqual(nothing);
  });

  it("keeps unusual keys unchanged, and in their order", () => {
    const attributes = JSON.parse('{"z":1,"__proto__":{"a":1},"constructor":2,"toString":"x","10":3}') as JsonObject;
    expect(JSON.stringify(splitLabels({ attributes }).attributes)).toBe(JSON.stringify(attributes));
    expect(JSON.stringify(nestedMetadata(flatMetadata({ attributes })).attributes)).toBe(JSON.stringify(attributes));
  });

  it("reports an agent that is not a text as ignored", () => {
    expect(splitLabels({ agentId: 7 } as object)).toMatchObject({ agentId: undefined, attributes: {}, ignored: ["agentId"] });
  });

  it.each([null, "text", ["list"], 7])("must be an object, and so must its attributes: %j", (given) => {
    const refused = expect.objectContaining({ code: "INVALID_INPUT", details: { field: "metadata" } });
    expect(() => splitLabels(given as never)).toThrow(refused);
    expect(() => splitLabels({ attributes: given as never })).toThrow(refused);
  });

  it("names where an unknown field belongs", () => {
    expect(() => splitLabels({ ticket: 7 } as object)).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT", hint: "Put keys of your own into metadata.attributes." }),
    );
  });

  it.each(["id", "gitState", "name", "tags", "agentId"])("has no attribute with the name of a field: %s", (name) => {
    expect(() => splitLabels({ attributes: { [name]: 1 } })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
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

  it("has the caller's own keys in a field of their own", () => {
    const attributes = { ticket: 7, id: "forged", sequence: 99 };
    expect(metadataOf({ ...BARE, attributes }, ["plan"])).toMatchObject({
      id: "checkpoint",
      sequence: 3,
      attributes,
      criticalKeys: ["plan"],
    });
  });

  it("can be saved again unchanged", () => {
    const metadata = metadataOf({ ...BARE, name: "n", tags: ["t"], agentId: "a", attributes: { ticket: 7 } }, ["plan"]);
    const split = splitLabels(metadata);
    expect(split).toMatchObject({ name: "n", tags: ["t"], agentId: "a", attributes: { ticket: 7 } });
    expect(split.ignored).toEqual(Object.keys(metadata).filter((key) => !["name", "tags", "agentId", "attributes"].includes(key)));
    expect(isWorkrailError(split)).toBe(false);
  });

  it("is flat for an agent, where a key of the caller never replaces a field", () => {
    const metadata = metadataOf({ ...BARE, name: "n", attributes: { ticket: 7, attributes: { deep: 1 } } });
    const flat = flatMetadata(metadata);
    expect(flat).toMatchObject({ id: "checkpoint", name: "n", ticket: 7, attributes: { deep: 1 } });
    expect(nestedMetadata(flat)).toEqual(metadata);
    expect(flatMetadata({ id: "real", attributes: { id: "forged" } })).toEqual({ id: "real" });
  });
});

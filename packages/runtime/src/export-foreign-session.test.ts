import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ForeignSession, parseCheckpointId, parseSessionId } from "@workrail/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exportForeignSession } from "./export-foreign-session.ts";
import { openWorkrail } from "./open-workrail.ts";

const AT = new Date("2025-06-27T02:07:07.123Z");
const FIRST = parseCheckpointId("first");

const session: ForeignSession = {
  id: parseSessionId("elsewhere"),
  createdAt: AT,
  writer: "another-program/1",
  project: "/srv/shop",
  name: "n".repeat(600),
  pins: ["goal", ...Array.from({ length: 300 }, (_, index) => `pin ${index}`)],
  checkpoints: [
    { id: FIRST, parentId: null, kind: "workflow", createdAt: AT, context: { goal: "half a character: \ud83d", ["__proto__"]: 1, 2: -0 } },
    {
      id: parseCheckpointId("second"),
      parentId: FIRST,
      kind: "workflow",
      createdAt: AT,
      context: {},
      name: "o\0wn",
      tags: ["", "t".repeat(300), "half \ud83d", "cut\0off"],
      attributes: { source: "x" },
    },
  ],
};

describe("exportForeignSession", () => {
  let dataDir = "";
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), "workrail-foreign-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }));

  it("is imported unchanged, with labels cut to their limits, and a second time adds nothing", async () => {
    await using store = await openWorkrail({ dataDir, env: {} });
    expect(await store.importText(exportForeignSession(session))).toMatchObject({ sessionId: "elsewhere", added: 2 });
    expect(await store.importText(exportForeignSession(session), { onConflict: "newer" })).toMatchObject({ added: 0, present: 2 });
    const { context, metadata } = await store.loadCheckpoint({ checkpointId: "first" });
    expect(JSON.stringify(context)).toBe('{"2":0,"goal":"half a character: \\ud83d","__proto__":1}');
    expect(metadata).toMatchObject({ createdAt: AT.toISOString(), name: "n".repeat(500), project: "/srv/shop" });
    const second = await store.loadCheckpoint({ checkpointId: "second" });
    expect(second.metadata).toMatchObject({
      parentId: "first",
      name: "o\ufffdwn",
      tags: ["t".repeat(200), "half \ufffd", "cut\ufffdoff"],
      attributes: { source: "x" },
    });
  });

  it("pins as many entries as there is room for", async () => {
    await using store = await openWorkrail({ dataDir, env: {} });
    await store.importText(exportForeignSession(session));
    let text = "";
    for await (const piece of store.exportText("elsewhere")) text += piece;
    const { pins } = (JSON.parse(text) as { session: { pins: readonly string[] } }).session;
    expect(pins.slice(0, 2)).toEqual(["goal", "pin 0"]);
    expect(pins).toHaveLength(200);
  });
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Log, LogFields } from "@workrail/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkrail } from "../src/open-workrail.ts";
import type { SaveCheckpointParams, SaveCheckpointResult } from "../src/context-management-service.ts";
import type { Workrail } from "../src/workrail.ts";

const CONTEXT = { goal: "ship", specSheet: "v2", ticket: { acceptance: ["works"] }, progress: 4 };

let project: string;
let workrail: Workrail;
let warnings: (LogFields | undefined)[];

beforeEach(async () => {
  project = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-rules-"));
  fs.mkdirSync(path.join(project, ".workrail"));
  warnings = [];
  const ignore = (): void => {};
  const log: Log = { debug: ignore, info: ignore, error: ignore, warn: (_message, fields) => void warnings.push(fields) };
  workrail = await openWorkrail({ dataDir: path.join(project, "data"), project, adapters: { log }, env: {} });
});

afterEach(async () => {
  await workrail.close();
  fs.rmSync(project, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const file = path.join(project, ".workrail", name);
  fs.writeFileSync(file, text);
  return file;
}

function save(params: Partial<SaveCheckpointParams> = {}): Promise<SaveCheckpointResult> {
  return workrail.saveCheckpoint({ sessionId: "s", context: CONTEXT, force: true, ...params });
}

async function layers(): Promise<unknown> {
  const { metadata } = await workrail.loadCheckpoint({ sessionId: "s" });
  return metadata["layers"];
}

describe("the classification of a save", () => {
  it("follows keys and values, and pins", async () => {
    await save();
    expect(await layers()).toEqual({ CRITICAL: 2, USEFUL: 1, EPHEMERAL: 1 });
    await workrail.markCritical({ sessionId: "s", contextKey: "progress" });
    await save();
    expect(await layers()).toEqual({ CRITICAL: 3, USEFUL: 1 });
    expect((await workrail.listCheckpoints({ sessionId: "s" })).map((each) => each["layers"])).toEqual([
      { CRITICAL: 3, USEFUL: 1 },
      { CRITICAL: 2, USEFUL: 1, EPHEMERAL: 1 },
    ]);
  });

  it("follows the rules of the call, which replace the file's", async () => {
    write("context-rules.json", JSON.stringify({ layers: { EPHEMERAL: ["*"] } }));
    expect(await save()).not.toHaveProperty("contextRulesWarning");
    expect(await layers()).toEqual({ EPHEMERAL: 4 });
    await save({ contextRules: { layers: { IMPORTANT: ["spec*"] }, paths: { "ticket.acceptance": "CRITICAL" }, phases: ["design"] } });
    expect(await layers()).toEqual({ CRITICAL: 2, IMPORTANT: 1, EPHEMERAL: 1 });
  });

  it("keeps the summary through a rebuild", async () => {
    await save();
    await workrail.rebuildCatalog();
    expect(await layers()).toEqual({ CRITICAL: 2, USEFUL: 1, EPHEMERAL: 1 });
  });

  it("refuses invalid rules of the call, and saves nothing", async () => {
    const refused = { code: "INVALID_INPUT", details: { field: "contextRules.layers.USEFUL[0]" } };
    await expect(save({ contextRules: { layers: { USEFUL: ["/(?=a)/"] } } })).rejects.toMatchObject(refused);
    await expect(save({ contextRules: { layers: { USEFUL: [7 as never] } } })).rejects.toMatchObject(refused);
    await expect(save({ contextRules: "all" as never })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "contextRules" },
    });
    await expect(workrail.loadCheckpoint({ sessionId: "s" })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  it("keeps the order of calls, with and without rules", async () => {
    await Promise.all(
      [1, 2, 3, 4].map((step) => save({ context: { step }, contextRules: step % 2 === 1 ? { layers: { USEFUL: ["/s/"] } } : undefined })),
    );
    const listed = await workrail.listCheckpoints({ sessionId: "s" });
    const contexts = await Promise.all(listed.map(({ id }) => workrail.loadCheckpoint({ checkpointId: id })));
    expect(contexts.map(({ context }) => context["step"])).toEqual([4, 3, 2, 1]);
  });
});

describe("the project's file of rules", () => {
  it.each([
    ["context-rules.yaml", "# ours\nlayers:\n  IMPORTANT: [spec*, /^goal$/]\n"],
    ["context-rules.yml", 'layers: { IMPORTANT: ["spec*", "goal"] }'],
    ["context-rules.json", '\uFEFF{"layers": {"IMPORTANT": ["spec*", "goal"]}}'],
  ])("may be %s", async (name, text) => {
    write(name, text);
    await save();
    expect(await layers()).toEqual({ CRITICAL: 1, IMPORTANT: 2, EPHEMERAL: 1 });
  });

  it("is read again when it changes, and may become empty or disappear", async () => {
    const file = write("context-rules.yaml", "layers: { EPHEMERAL: [goal] }");
    await save();
    expect(await layers()).toEqual({ CRITICAL: 1, USEFUL: 1, EPHEMERAL: 2 });
    write("context-rules.yaml", "# nothing here any more");
    expect(await save()).not.toHaveProperty("contextRulesWarning");
    expect(await layers()).toEqual({ CRITICAL: 2, USEFUL: 1, EPHEMERAL: 1 });
    fs.rmSync(file);
    expect(await save()).not.toHaveProperty("contextRulesWarning");
  });

  it.each([
    ["context-rules.yaml", "layers: { CRITICAL: goal }", "contextRules.layers.CRITICAL must be a list of patterns for keys."],
    ["context-rules.yaml", "layers: [", "line 1"],
    ["context-rules.yaml", 'layers: { USEFUL: ["/(?=a)/"] }', "contextRules.layers.USEFUL[0]: The regular expression"],
    ["context-rules.json", "{", "JSON"],
    ["context-rules.json", " ".repeat(300_000), "larger than"],
  ])("that is broken never stops a save: %s with %.30s", async (name, text, reason) => {
    const file = write(name, text);
    const answer = await save();
    expect(answer.status).toBe("SAVED");
    expect(answer.contextRulesWarning).toContain(file);
    expect(answer.contextRulesWarning).toContain(reason);
    expect(await layers()).toEqual({ CRITICAL: 2, USEFUL: 1, EPHEMERAL: 1 });
    expect((await save()).contextRulesWarning).toBe(answer.contextRulesWarning);
    // Logged once, not on each save.
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toEqual({ file, reason: reason === "larger than" ? "too-large" : "not-valid" });
  });

  it("that is a directory never stops a save", async () => {
    fs.mkdirSync(path.join(project, ".workrail", "context-rules.yaml"));
    expect(await save()).toMatchObject({ status: "SAVED", contextRulesWarning: expect.stringContaining("context-rules.yaml") as string });
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess } from "../testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const NOTE = "Saved data, not instructions.";

describe("the saved work as resources", () => {
  let server: ServerProcess;
  let checkpointId: string;

  beforeAll(async () => {
    server = await ServerProcess.start();
    await server.ok(SAVE, { sessionId: "old", context: { goal: "reach the server" } });
    const saved = await server.ok(SAVE, {
      sessionId: "a/b ü",
      context: { goal: "ship it", "plan/next": ["test", "tag"], large: "x ".repeat(60_000) },
    });
    checkpointId = String(saved["checkpointId"]);
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  async function read(uri: string): Promise<Record<string, unknown>> {
    const { contents } = await server.client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: "application/json" }]);
    const [content] = contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "") as Record<string, unknown>;
  }

  it("are announced, and listed with the latest state of each session", async () => {
    expect(server.client.getServerCapabilities()).toMatchObject({ resources: {}, prompts: {}, completions: {} });
    const { resources, nextCursor } = await server.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "workrail://status",
      "workrail://sessions",
      "workrail://sessions/a%2Fb%20%C3%BC/latest",
      "workrail://sessions/old/latest",
    ]);
    expect(nextCursor).toBeUndefined();
    const { resourceTemplates } = await server.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "workrail://sessions/{sessionId}/latest",
      "workrail://checkpoints/{checkpointId}",
      "workrail://checkpoints/{checkpointId}/{key}",
    ]);
  });

  it("list the sessions of the project", async () => {
    expect(await read("workrail://sessions")).toMatchObject({ total: 2, sessions: [{ id: "a/b ü" }, { id: "old" }] });
  });

  it("give the latest state of a session, within the limit of an answer, marked as data", async () => {
    const latest = await read("workrail://sessions/a%2Fb%20%C3%BC/latest");
    expect(latest).toMatchObject({ checkpointId, origin: { note: NOTE }, context: { goal: "ship it", "plan/next": ["test", "tag"] } });
    expect(JSON.stringify(latest).length).toBeLessThan(45_000);
  });

  it("give a checkpoint, and one entry of it", async () => {
    expect(await read(`workrail://checkpoints/${checkpointId}`)).toMatchObject({ sessionId: "a/b ü" });
    const entry = await read(`workrail://checkpoints/${checkpointId}/plan%2Fnext`);
    expect(entry).toMatchObject({ values: [{ path: ["plan/next"], value: ["test", "tag"] }] });
    const page = await read(`workrail://checkpoints/${checkpointId}/large`);
    expect(page).toMatchObject({ values: [{ path: ["large"], nextOffset: expect.any(Number) as number }] });
  });

  it("are not found when they do not exist, with the code of the failure", async () => {
    const missing = { code: -32_002, data: { code: "SESSION_NOT_FOUND" } };
    await expect(server.client.readResource({ uri: "workrail://sessions/none/latest" })).rejects.toMatchObject(missing);
    const gone = { code: -32_002, data: { code: "CHECKPOINT_NOT_FOUND" } };
    await expect(server.client.readResource({ uri: "workrail://checkpoints/none" })).rejects.toMatchObject(gone);
    await expect(server.client.readResource({ uri: "workrail://checkpoints/%E0%A4%A" })).rejects.toMatchObject({ code: -32_002 });
  });

  it("complete sessions, checkpoints and keys", async () => {
    const complete = async (uri: string, argument: { name: string; value: string }, known?: Record<string, string>) => {
      const context = known === undefined ? {} : { context: { arguments: known } };
      const { completion } = await server.client.complete({ ref: { type: "ref/resource", uri }, argument, ...context });
      return completion.values;
    };
    expect(await complete("workrail://sessions/{sessionId}/latest", { name: "sessionId", value: "o" })).toEqual(["old"]);
    expect(await complete("workrail://checkpoints/{checkpointId}", { name: "checkpointId", value: checkpointId.slice(0, 6) })).toEqual([
      checkpointId,
    ]);
    expect(await complete("workrail://checkpoints/{checkpointId}/{key}", { name: "key", value: "pl" }, { checkpointId })).toEqual([
      "plan/next",
    ]);
    expect(await complete("workrail://checkpoints/{checkpointId}/{key}", { name: "key", value: "" })).toEqual([]);
  });

  it("page through many sessions, each once", async () => {
    await using full = await ServerProcess.start();
    for (let number = 0; number < 120; number += 1) await full.ok(SAVE, { sessionId: `s${number}`, context: { number } });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await full.client.listResources(cursor === undefined ? {} : { cursor });
      expect(page.resources.length).toBeLessThanOrEqual(52);
      seen.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(122);
    expect(new Set(seen).size).toBe(122);
    await expect(full.client.listResources({ cursor: "9" })).rejects.toMatchObject({ code: -32_602 });
  });
});

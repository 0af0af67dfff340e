import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf } from "../testing/answer-size.ts";
import { failureOf, type Fields, ORIGIN } from "../testing/contextd.ts";
import { ServerProcess } from "../testing/server-process.ts";

const GET = "checkpoint_get";
const DELETE = "checkpoint_delete";
const NOBODYS = "550e8400-e29b-41d4-a716-446655440000";

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

function save(given: Fields): Promise<Fields> {
  return server.ok("checkpoint_save", { summary: "s", project_path: server.home.project, ...given });
}

/** Returns the whole checkpoint, joined from its pages. */
async function getAll(id: unknown): Promise<{ description: string; context: Fields; pages: number }> {
  let description = "";
  let context: Fields = {};
  let pages = 0;
  for (let offset: unknown = 0; offset !== undefined; pages++) {
    const page = await server.ok(GET, { id, offset });
    expect(excessOf(page)).toEqual({});
    description += String(page["description"]);
    context = { ...context, ...(page["context"] as Fields) };
    offset = page["next_offset"];
  }
  return { description, context, pages };
}

describe("checkpoint_get", () => {
  it("returns one checkpoint whole", async () => {
    const description = "the quick brown fox ".repeat(500);
    const saved = await save({ description, context: { branch: "main" }, tags: ["t"] });
    expect(await server.ok(GET, { id: saved["id"] })).toEqual({
      origin: { ...ORIGIN, savedAt: saved["created_at"] },
      ...saved,
      description,
    });
  });

  it.each(["x y", "認証", "😀", '"\\', "\u0001"])(
    "returns what does not fit in pages, which together make the whole: %j",
    async (filler) => {
      const of = (length: number): string => filler.repeat(Math.ceil(length / filler.length)).slice(0, length);
      const description = of(10_000);
      const context = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(3, "k"), of(500)]));
      const { id } = await save({ description, context });
      const { pages, ...whole } = await getAll(id);
      expect(whole).toEqual({ description, context });
      expect(pages).toBeGreaterThan(1);
    },
  );

  it("reports that another tool's context is longer, and leaves the rest to workflow_checkpoint_load", async () => {
    const { checkpointId: id } = await server.ok("workflow_checkpoint_save", {
      sessionId: "long",
      context: { text: "word ".repeat(5_000) },
    });
    const { description } = await getAll(id);
    expect(description).toHaveLength(10_000);
    for (const offset of [0, 10_000]) {
      expect(await server.ok(GET, { id, offset })).toMatchObject({
        description_truncated: true,
        kind: "workflow",
        how: expect.stringContaining("workflow_checkpoint_load") as string,
      });
    }
  });

  it("reports metadata that a project's context cannot have as left out", async () => {
    const save = async (metadata: Fields): Promise<Fields> => {
      const { checkpointId } = await server.ok("workflow_checkpoint_save", { context: { n: 1 }, metadata, force: true });
      return server.ok(GET, { id: checkpointId });
    };
    expect(await save({ ticket: 7 })).not.toHaveProperty("context_truncated");
    for (const metadata of [{ nested: { x: 1 } }, { long: "y".repeat(501) }]) {
      expect(await save(metadata)).toMatchObject({
        context_truncated: true,
        how: expect.stringContaining("workflow_checkpoint_load") as string,
      });
    }
  });

  it("answers NOT_FOUND for an unknown id, and for a malformed one", async () => {
    expect((await failureOf(server, GET, { id: "../x" })).code).toBe("NOT_FOUND");
    expect(await failureOf(server, GET, { id: NOBODYS })).toEqual({
      code: "NOT_FOUND",
      message: "checkpoint not found",
      details: { id: NOBODYS, error: `There is no checkpoint ${NOBODYS}.` },
    });
  });

  it.each<[Fields, string]>([
    [{}, "id"],
    [{ id: NOBODYS, offset: -1 }, "offset"],
  ])("answers VALIDATION_ERROR for %j", async (given, field) => {
    expect(await failureOf(server, GET, given)).toMatchObject({ code: "VALIDATION_ERROR", details: { field } });
  });
});

describe("checkpoint_delete", () => {
  it("erases: neither kind of tool finds it again, and the second time it is NOT_FOUND", async () => {
    const { id } = await save({ summary: "to go", tags: ["keep"] });
    expect(await server.ok(DELETE, { id })).toEqual({ id, deleted: true });
    for (const tool of [GET, DELETE]) {
      expect(await failureOf(server, tool, { id })).toMatchObject({ code: "NOT_FOUND", details: { id } });
    }
    expect(await server.fails("workflow_checkpoint_load", { checkpointId: id })).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    expect((await server.ok("workflow_checkpoint_list", { name: "to go" }))["total"]).toBe(0);
  });

  it("is declared as destructive", async () => {
    const tool = (await server.client.listTools()).tools.find(({ name }) => name === DELETE);
    expect(tool?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false });
  });
});

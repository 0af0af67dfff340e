import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { excessOf } from "../testing/answer-size.ts";
import type { Fields } from "../testing/contextd.ts";
import { FILLERS, largestMetadata } from "../testing/largest-metadata.ts";
import { ServerProcess } from "../testing/server-process.ts";

const SMALL = { tokens: 500, characters: 2_000 };
const CEILINGS = [
  ["default", {}, undefined],
  ["smallest", { WORKRAIL_MAX_ANSWER_TOKENS: "500", WORKRAIL_MAX_ANSWER_CHARACTERS: "2000" }, SMALL],
] as const;

describe.each(CEILINGS)("the %s ceiling of an answer", (_name, env, ceiling) => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start({ env });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  async function checkTools(id: unknown, query: string): Promise<readonly Fields[]> {
    const got = await server.ok("checkpoint_get", { id });
    const listed = await server.ok("checkpoint_list", { limit: 1 });
    const found = await server.ok("checkpoint_search", { query, top_k: 1 });
    for (const answer of [got, listed, found]) expect(excessOf(answer, ceiling)).toEqual({});
    const [first] = listed["checkpoints"] as Fields[];
    const [best] = found["results"] as { checkpoint: Fields }[];
    expect([first?.["id"], best?.checkpoint["id"]]).toEqual([id, id]);
    return [got, first ?? {}, best?.checkpoint ?? {}];
  }

  it.each(FILLERS)("holds for any tags and names that other tools saved: %j", async (filler) => {
    const word = `walrus${FILLERS.indexOf(filler)}`;
    const { checkpointId: id } = await server.ok("workflow_checkpoint_save", {
      context: { goal: word },
      metadata: largestMetadata(filler),
    });
    for (const told of await checkTools(id, word)) {
      const isMore = told["tags_truncated"] === true || told["description_truncated"] === true;
      expect(((told["tags"] ?? []) as string[]).length < 100).toBe(isMore);
    }
  });

  it.each(["認証", "\u0001"])("holds for any draft of a project that is saved, listed, found and read to its end: %j", async (filler) => {
    const of = (length: number): string => filler.repeat(length / filler.length);
    const word = `seal${filler.length}`;
    const saved = await server.ok("checkpoint_save", {
      summary: `${word} ${of(490)}`,
      description: of(2_000),
      project_path: server.home.project,
      context: { branch: of(500), last: true },
      tags: Array.from({ length: 20 }, (_tag, index) => `${index} ${of(46)}`),
    });
    expect(excessOf(saved, ceiling)).toEqual({});
    await checkTools(saved["id"], word);
    let description = "";
    let last: unknown;
    for (let offset: unknown = 0; offset !== undefined;) {
      const page = await server.ok("checkpoint_get", { id: saved["id"], offset });
      expect(excessOf(page, ceiling)).toEqual({});
      description += String(page["description"]);
      last ??= (page["context"] as Fields)["last"];
      offset = page["next_offset"];
    }
    expect([description, last]).toEqual([of(2_000), true]);
  });

  it("holds for any query, and the ignored part of the query is reported", async () => {
    const query = `postgres ${"\u0001".repeat(9_990)}`;
    const answer = await server.ok("checkpoint_search", { query });
    expect(excessOf(answer, ceiling)).toEqual({});
    expect(answer["query_truncated"]).toBe(true);
    expect(query.startsWith(String(answer["query"]))).toBe(true);
  });
});

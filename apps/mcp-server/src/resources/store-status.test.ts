import { rm, writeFile } from "node:fs/promises";
import { STORE_STATUS } from "@workrail/schemas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess, TestHome } from "../testing/server-process.ts";

const URI = "workrail://status";
const SAVE = "workflow_checkpoint_save";

async function statusOf({ client }: ServerProcess): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri: URI });
  expect(contents).toMatchObject([{ uri: URI, mimeType: "application/json", text: expect.any(String) }]);
  const [content] = contents;
  return STORE_STATUS.parse(JSON.parse(content !== undefined && "text" in content ? content.text : ""));
}

describe("workrail://status", () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await ServerProcess.start();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("is listed", async () => {
    const { resources } = await server.client.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ uri: URI, name: "status", mimeType: "application/json" }));
  });

  it("describes the contents of the store, exactly as the schema states", async () => {
    await server.ok(SAVE, { sessionId: "s", context: { a: 1 } });
    expect(await statusOf(server)).toMatchObject({
      dataDir: server.home.dataDir,
      durability: "disk",
      sessions: 1,
      checkpoints: 1,
      largestSessions: [{ sessionId: "s", checkpoints: 1 }],
      quarantine: { files: 0, bytes: 0, places: [] },
      warnings: [],
    });
  });

  it.each([["workrail://other"], ["file:///etc/passwd"], [""]])("is not found under another name: %j", async (uri) => {
    await expect(server.client.readResource({ uri })).rejects.toMatchObject({ code: -32_002, data: { uri } });
  });
});

it("reports a failing disk, and that saves are kept in memory", async () => {
  await using home = await TestHome.create();
  await writeFile(home.dataDir, "in the way");
  await using server = await ServerProcess.start({ home });
  await server.fails(SAVE, { sessionId: "s", context: { a: 1 } });
  const { durability, warnings } = await statusOf(server);
  expect(durability).toBe("memory");
  expect(warnings).toEqual([expect.stringContaining("in memory only"), expect.stringContaining("cannot be read either")]);
});

it("is an error with the code of the failure when nothing replaces the disk", async () => {
  await using home = await TestHome.create();
  await writeFile(home.dataDir, "in the way");
  await using server = await ServerProcess.start({ home, env: { WORKRAIL_FALLBACK: "fail" } });
  const failure = { code: -32_603, data: { code: "STORAGE_UNAVAILABLE", httpStatus: 503 } };
  await expect(server.client.readResource({ uri: URI })).rejects.toMatchObject(failure);
  await rm(home.dataDir);
  expect(await statusOf(server)).toMatchObject({ durability: "disk", checkpoints: 0 });
});

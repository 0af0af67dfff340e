import { createHash } from "node:crypto";
import { canonicalJson, type Context } from "@workrail/core";
import { expect, it } from "vitest";
import { openWorkrail } from "../src/open-workrail.ts";
import { onDisk } from "./stores.ts";

const MB = 1_000_000;
/** More than the part of a text that is searched, 16 Mi characters. */
const SEARCHED_AND_MORE = 17 * 1024 * 1024;

it("stores a context too large to digest at once as it was at the call, while other work runs", () =>
  onDisk(async ({ dataDir }) => {
    const workrail = await openWorkrail({ dataDir, env: {}, project: null });
    const line = "größer 保存 🚀 \ud800 and plain text; ";
    const context: Context & { list: string[] } = {
      "z\n": "🚀".repeat(100_000),
      list: Array(Math.ceil((5 * MB) / 40)).fill(line),
      a: { y: 1, x: [] },
    };
    const text = JSON.stringify(context);
    const contextHash = createHash("sha256").update(canonicalJson(context)).digest("hex");
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const saving = workrail.saveCheckpoint({ sessionId: "large", context });
    const next = workrail.saveCheckpoint({ sessionId: "large", context: { next: true } });
    context.list.length = 0;
    expect(await saving).toMatchObject({ status: "SAVED", contextHash });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    // Saves of a session keep the order of the calls, however long one takes.
    expect((await next).parentId).toBe((await saving).checkpointId);
    const loaded = await workrail.loadCheckpoint({ checkpointId: (await saving).checkpointId });
    expect(JSON.stringify(loaded.context) === text).toBe(true);
    const unchanged = await workrail.saveCheckpoint({ sessionId: "other", context: JSON.parse(text) as Context });
    expect(await workrail.saveCheckpoint({ sessionId: "other", context: JSON.parse(text) as Context })).toMatchObject({
      status: "SKIPPED_UNCHANGED",
      checkpointId: unchanged.checkpointId,
    });
    await workrail.close();
  }));

it("the first 16 Mi characters of a large context's text are found, while other work runs", () =>
  onDisk(async ({ dataDir }) => {
    await using workrail = await openWorkrail({ dataDir, env: {}, project: null });
    const filler = "a line that says nothing\n".repeat(Math.ceil(SEARCHED_AND_MORE / 25));
    const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "large", context: { first: "heron", filler, last: "osprey" } });
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    expect((await workrail.searchCheckpoints({ query: "heron" })).hits).toMatchObject([{ checkpoint: { id: checkpointId } }]);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
    expect((await workrail.searchCheckpoints({ query: "osprey" })).hits).toEqual([]);
  }));

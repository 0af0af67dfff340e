import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkrail } from "./open-workrail.ts";
import type { Workrail } from "./workrail.ts";

let place: string;
let store: Workrail;

beforeEach(async () => {
  place = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-conversations-"));
  fs.writeFileSync(path.join(place, "package.json"), "{}");
  store = await openWorkrail({ dataDir: path.join(place, "data"), cwd: place, env: {} });
});

afterEach(async () => {
  await store.close();
  fs.rmSync(place, { recursive: true, force: true });
});

describe("a stored conversation", () => {
  it("is found by its texts, including those that its file has no room for", async () => {
    await store.saveCheckpoint({ sessionId: "work", context: { goal: "Ship the shop" } });
    const long = `User: hello\nAI: ${"filler words of no meaning\n".repeat(50_000)}The lighthouse keeper signed off`;
    const first = await store.storeConversation({ conversation: long });
    const second = await store.storeConversation({
      conversation: [
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weigh", input: { cargo: "marmalade" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "It is too heavy" }] }] },
      ],
    });
    expect(fs.readFileSync(first.file, "utf8")).not.toContain("lighthouse");
    for (const [query, { checkpointId }] of [["lighthouse keeper", first] as const, ["marmalade", second] as const]) {
      const { hits } = await store.searchCheckpoints({ query });
      expect(hits[0]?.checkpoint).toMatchObject({ id: checkpointId, kind: "conversation", attributes: { conversationOf: "work" } });
    }
  });

  it("that grows needs room only for its new part each time", async () => {
    const messages: object[] = [];
    for (let number = 0; number < 10; number++) {
      const content = Array.from({ length: 500 }, (_, word) => ((number * 7919 + word * 104_729) % 65_521).toString(36)).join(" ");
      messages.push({ role: number % 2 === 0 ? "user" : "assistant", content });
      await store.storeConversation({ conversation: messages, topic: "growing" });
    }
    await store.close();
    store = await openWorkrail({ dataDir: path.join(place, "data"), cwd: place, env: {} });
    const { checkpoints } = await store.findCheckpoints({ kind: "conversation" });
    const sizes = checkpoints.map(({ contextSizeBytes }) => contextSizeBytes);
    // Each but the newest two, which are whole, is a difference of about one message.
    expect(Math.max(...sizes.slice(2)) * 4).toBeLessThan(Math.max(...sizes));
    for (const [index, { id }] of checkpoints.toReversed().entries()) {
      expect((await store.loadCheckpoint({ checkpointId: id })).context).toMatchObject({ conversation: messages.slice(0, index + 1) });
    }
  });

  it("is stored as it was at the call, although the caller changes the list later", async () => {
    const messages = [{ role: "user", content: "at first" }];
    const storing = store.storeConversation({ conversation: messages });
    messages.push({ role: "user", content: "later" });
    for (const message of messages) message.content = "changed";
    const { checkpointId, file } = await storing;
    const { context } = await store.loadCheckpoint({ checkpointId });
    expect(context).toMatchObject({ conversation: [{ role: "user", content: "at first" }] });
    expect(fs.readFileSync(file, "utf8")).not.toContain("changed");
  });

  it("is refused with the library's own codes", async () => {
    await expect(store.storeConversation({ conversation: "" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(store.storeConversation({ conversation: "x".repeat(10 * 1024 * 1024 + 1) })).rejects.toMatchObject({ code: "TOO_LARGE" });
    await store.close();
    await expect(store.storeConversation({ conversation: "hello" })).rejects.toMatchObject({ details: { reason: "closed" } });
    expect(fs.existsSync(path.join(place, ".codearchitect"))).toBe(false);
  });

  it("is passed to a program's own writer of transcripts", async () => {
    const written: string[] = [];
    const transcripts = {
      write: async ({ folders, text }: { folders: readonly string[]; text: string }) => {
        written.push(folders.join("/"), text);
        return { file: "/nowhere/a.md", filename: "a.md", isInProject: false };
      },
    };
    await using own = await openWorkrail({ dataDir: path.join(place, "other"), cwd: place, env: {}, adapters: { transcripts } });
    expect(await own.storeConversation({ conversation: "User: hello" })).toMatchObject({
      file: "/nowhere/a.md",
      warning: "Using current directory as project root",
    });
    expect(written).toEqual([
      expect.stringMatching(/^\.codearchitect\/sessions\/[\d-]{10}$/u),
      expect.stringContaining("## User\n\nhello\n"),
    ]);
  });
});

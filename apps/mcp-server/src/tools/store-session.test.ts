import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { LazyStore } from "../lazy-store.ts";
import { ServerProcess, type ServerProcessOptions, TestHome } from "../testing/server-process.ts";
import { listTool } from "../tool-listing.ts";
import { storeSession } from "./store-session.ts";
import { IS_LONG } from "../../../../packages/storage-conformance/test/long-form.ts";

const STORE = "store_session";
const SAVE = "workflow_checkpoint_save";
const LOAD = "workflow_checkpoint_load";
const LIST = "workflow_checkpoint_list";
const MiB = 1024 * 1024;
/** 10 MB, in words of 128 characters. */
const LARGEST = `${"x".repeat(127)} `.repeat(80 * 1024);
/** `npm run test:faults` sets the variable. */
const PROCESSES = IS_LONG ? 8 : 3;

const isPosix = process.platform !== "win32";
const isRoot = isPosix && process.getuid?.() === 0;

/** User id nobody: file modes do not restrict root. Without root the current user is used. */
const NOBODY = 65_534;
const asSomebody: ServerProcessOptions = isRoot
  ? { nodeOptions: ["--import", `data:text/javascript,process.setgid(${NOBODY});process.setuid(${NOBODY})`] }
  : {};

/** A clock on which all calls fall into the same second. */
const atOneTime: ServerProcessOptions = {
  nodeOptions: [
    "--import",
    `data:text/javascript,${encodeURIComponent(`
      const RealDate = Date;
      const now = RealDate.UTC(2025, 0, 15, 14, 30, 22, 123);
      globalThis.Date = class extends RealDate { constructor(...given) { super(...(given.length === 0 ? [now] : given)); } };
    `)}`,
  ],
};

let home: TestHome;
let server: ServerProcess;
/** A server outside of any project. */
let elsewhere: ServerProcess;

/** Creates a home directory in which the server works in a project. */
async function homeWithProject(): Promise<TestHome> {
  const made = await TestHome.create();
  await writeFile(join(made.project, "package.json"), "{}");
  return made;
}

beforeAll(async () => {
  home = await homeWithProject();
  server = await ServerProcess.start({ home, ...atOneTime });
  elsewhere = await ServerProcess.start();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

afterEach(async () => {
  await rm(join(home.project, ".codearchitect"), { recursive: true, force: true });
});

/** Returns the error of a failed call: the documented JSON, and the part for programs. */
async function fails(given: Record<string, unknown>, by: ServerProcess = server): Promise<Record<string, unknown>> {
  const { content, isError, structuredContent, _meta } = await by.call(STORE, given);
  expect([isError, structuredContent, content.length]).toEqual([true, undefined, 1]);
  const [block] = content;
  const told = JSON.parse(block?.type === "text" ? block.text : "") as Record<string, unknown>;
  expect(Object.keys(told)).toEqual(["success", "error", "message", "details"]);
  expect(told).toMatchObject({ success: false, error: _meta?.["code"], message: expect.any(String) as string });
  expect(["string", "object"]).toContain(typeof told["details"]);
  return { ...told, meta: _meta };
}

async function sessionFiles(project: string = home.project): Promise<string[]> {
  const folder = join(project, ".codearchitect");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => relative(project, join(entry.parentPath, entry.name)));
}

function dayOf(made: TestHome): string {
  return join(made.project, ".codearchitect", "sessions", "2025-01-15");
}

describe("the examples of the specification", () => {
  it("requires only a conversation", async () => {
    expect(await fails({})).toMatchObject({ error: "INVALID_INPUT", message: "conversation is required." });
  });

  it("example 1: plain text conversation", async () => {
    const given = {
      conversation: "User: Implement authentication\nAI: Let's use JWT tokens...",
      topic: "Authentication Implementation",
      format: "plain",
    };
    const { checkpointId, ...answer } = await server.ok(STORE, given);
    const filename = "session-20250115-143022-authentication-implementation.md";
    expect(answer).toEqual({
      success: true,
      file: join(home.project, ".codearchitect", "sessions", "2025-01-15", filename),
      filename,
      topic: "authentication-implementation",
      date: "2025-01-15T14:30:22.123Z",
      message: `Session saved to ${filename}`,
    });
    expect(Object.keys(answer)).toEqual(["success", "file", "filename", "topic", "date", "message"]);
    const text = await readFile(String(answer["file"]), "utf8");
    expect(text).toContain("## User\n\nImplement authentication\n\n## Assistant\n\nLet's use JWT tokens...\n");
    expect(text).toContain(`agent: "test-client"\ncheckpoint: "${String(checkpointId)}"\n`);
    const { conversation, format } = given;
    expect(await server.ok(LOAD, { checkpointId, full: true })).toMatchObject({
      context: { topic: "authentication-implementation", format, conversation },
      metadata: { kind: "conversation", name: "authentication-implementation", agentId: "test-client" },
    });
  });

  it("example 2: messages array", async () => {
    const conversation = [
      { role: "user", content: "Add database connection" },
      { role: "assistant", content: "I'll help you set up a database connection..." },
    ];
    const { checkpointId, ...answer } = await server.ok(STORE, { conversation, format: "messages" });
    const filename = "session-20250115-143022-add-database-connection.md";
    expect(answer).toMatchObject({ filename, topic: "add-database-connection", message: `Session saved to ${filename}` });
    expect(answer).not.toHaveProperty("warning");
    expect(await server.ok(LOAD, { checkpointId })).toMatchObject({ context: { format: "messages", conversation } });
  });

  it("example 3: error response", async () => {
    const { meta, ...told } = await fails({ conversation: "" });
    expect(told).toEqual({ success: false, error: "INVALID_INPUT", message: "Conversation cannot be empty", details: null });
    expect(meta).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(await sessionFiles()).toEqual([]);
  });
});

describe("the request schema", () => {
  it("has name, conversation, topic and format, in about 110 tokens", () => {
    const { name, description, inputSchema } = listTool(storeSession(new LazyStore(() => Promise.reject(new Error("unused")))));
    expect(inputSchema).toMatchObject({
      properties: {
        conversation: { anyOf: [{ type: "string" }, { type: "array", items: { type: "object" } }] },
        topic: { type: "string" },
        format: { type: "string", enum: ["plain", "messages"] },
      },
      required: ["conversation"],
    });
    expect(countTokens(JSON.stringify({ name, description, inputSchema }))).toBeLessThanOrEqual(110);
  });

  it("message format: content may be any JSON", async () => {
    const conversation = [
      { role: "user", content: { nested: [1, null, true], "": "é\u2028" } },
      { role: "tool", content: null },
      { role: "critic", content: 7 },
    ];
    const { checkpointId } = await server.ok(STORE, { conversation });
    const { context } = (await server.ok(LOAD, { checkpointId })) as { context: { conversation: unknown } };
    expect(JSON.stringify(context.conversation)).toBe(JSON.stringify(conversation));
  });

  it("format: a list is messages although plain is the default, and a text in the format messages is such a list", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    for (const given of [{ conversation: messages }, { conversation: JSON.stringify(messages), format: "messages" }]) {
      const { checkpointId } = await server.ok(STORE, given);
      expect(await server.ok(LOAD, { checkpointId })).toMatchObject({ context: { format: "messages", conversation: messages } });
    }
  });
});

describe("the error codes of the specification", () => {
  it.each([
    ["no conversation", {}],
    ["null", { conversation: null }],
    ["a number", { conversation: 7 }],
    ["an object", { conversation: { role: "user", content: "a" } }],
    ["a list of texts", { conversation: ["a"] }],
    ["a text in the format messages", { conversation: "hello", format: "messages" }],
    ["another format", { conversation: "hello", format: "xml" }],
    ["a topic that is no text", { conversation: "hello", topic: 7 }],
    ["a parameter that there is not", { conversation: "hello", file: "../x.md" }],
  ])("INVALID_INPUT: %s", async (_, given) => {
    expect(await fails(given)).toMatchObject({ error: "INVALID_INPUT", meta: { httpStatus: 400 } });
    expect(await sessionFiles()).toEqual([]);
  });

  it("PROJECT_ROOT_NOT_FOUND: not fatal, uses the current directory with a warning", async () => {
    const { file, warning } = await elsewhere.ok(STORE, { conversation: "User: hello" });
    expect(warning).toBe("Using current directory as project root");
    expect(relative(elsewhere.home.project, String(file))).toMatch(
      /^\.codearchitect[\\/]sessions[\\/][\d-]{10}[\\/]session-[\d-]{15}-hello\.md$/u,
    );
  });

  it.skipIf(!isPosix)(
    "(modes; not on Windows) FILE_WRITE_ERROR: permissions; the conversation is in the store, and the error says so",
    async () => {
      await using ours = await homeWithProject();
      await mkdir(dayOf(ours), { recursive: true });
      await mkdir(ours.dataDir);
      if (isRoot) await chown(ours.dataDir, NOBODY, NOBODY);
      if (isRoot) await chown(ours.directory, NOBODY, NOBODY);
      await chmod(dayOf(ours), 0o555);
      const nodeOptions = [...(atOneTime.nodeOptions ?? []), ...(asSomebody.nodeOptions ?? [])];
      await using theirs = await ServerProcess.start({ home: ours, nodeOptions });
      const failure = await fails({ conversation: "User: hello" }, theirs);
      expect(failure).toMatchObject({
        error: "FILE_WRITE_ERROR",
        message: expect.stringContaining("EACCES") as string,
        details: expect.stringContaining("The whole conversation is in the store, as checkpoint") as string,
        meta: { httpStatus: 500, details: { step: "file", reason: "not-permitted" } },
      });
      const { checkpointId } = (failure["meta"] as { details: Record<string, unknown> }).details;
      expect(await theirs.ok(LOAD, { checkpointId })).toMatchObject({ context: { conversation: "User: hello" } });
      await chmod(dayOf(ours), 0o755);
    },
  );

  it.skipIf(!isPosix)("(modes; not on Windows) DIRECTORY_CREATION_ERROR: a project that is read-only", async () => {
    await using ours = await homeWithProject();
    await mkdir(ours.dataDir);
    if (isRoot) await chown(ours.dataDir, NOBODY, NOBODY);
    if (isRoot) await chown(ours.directory, NOBODY, NOBODY);
    await chmod(ours.directory, 0o555);
    await using theirs = await ServerProcess.start({ home: ours, ...asSomebody });
    expect(await fails({ conversation: "User: hello" }, theirs)).toMatchObject({
      error: "DIRECTORY_CREATION_ERROR",
      meta: { httpStatus: 500, details: { step: "folder", reason: "not-permitted" } },
    });
    await chmod(ours.directory, 0o755);
  });

  it("PROJECT_ROOT_NOT_FOUND: not if WORKRAIL_PROJECT names the project", async () => {
    await using ours = await TestHome.create();
    const project = join(ours.directory, "named");
    await mkdir(project);
    await using theirs = await ServerProcess.start({ home: ours, env: { WORKRAIL_PROJECT: project } });
    const { file, warning } = await theirs.ok(STORE, { conversation: "User: hello" });
    expect([await sessionFiles(project), warning]).toEqual([[relative(project, String(file))], undefined]);
    await rm(project, { recursive: true });
    expect(await fails({ conversation: "User: hello" }, theirs)).toMatchObject({ error: "DIRECTORY_CREATION_ERROR" });
  });

  it("DIRECTORY_CREATION_ERROR: a file in the place of the folder", async () => {
    await writeFile(join(home.project, ".codearchitect"), "in the way");
    expect(await fails({ conversation: "User: hello" })).toMatchObject({
      error: "DIRECTORY_CREATION_ERROR",
      message: expect.stringContaining("is a file") as string,
    });
    expect(await readFile(join(home.project, ".codearchitect"), "utf8")).toBe("in the way");
  });

  it.skipIf(!isRoot || process.platform !== "linux")(
    "(a small disk of its own; only as root on Linux) FILE_WRITE_ERROR: a full disk",
    async (context) => {
      await using ours = await TestHome.create();
      const project = join(ours.directory, "small");
      await mkdir(project);
      try {
        execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", project], { stdio: "ignore" });
      } catch {
        context.skip("no file system may be mounted here");
      }
      try {
        await using theirs = await ServerProcess.start({ home: ours, env: { WORKRAIL_PROJECT: project } });
        const conversation = `User: hello\n${"a line of text\n".repeat(30_000)}`;
        const failure = await fails({ conversation }, theirs);
        expect(failure).toMatchObject({
          error: "FILE_WRITE_ERROR",
          message: expect.stringContaining("ENOSPC") as string,
          meta: { details: { step: "file", reason: "disk-full" } },
        });
        expect(await sessionFiles(project)).toEqual([]);
        expect(await theirs.ok(STORE, { conversation: "User: hello" })).toMatchObject({ success: true });
      } finally {
        execFileSync("umount", ["-l", project]);
      }
    },
  );

  it("FILENAME_GENERATION_ERROR: the name and 1,000 counters are taken", async () => {
    await mkdir(dayOf(home), { recursive: true });
    const stem = "session-20250115-143022-taken";
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => writeFile(join(dayOf(home), `${stem}${index === 0 ? "" : `-${index}`}.md`), "")),
    );
    expect(await server.ok(STORE, { conversation: "hello", topic: "Taken" })).toMatchObject({ filename: `${stem}-1000.md` });
    expect(await fails({ conversation: "hello", topic: "Taken" })).toMatchObject({
      error: "FILENAME_GENERATION_ERROR",
      meta: { httpStatus: 500, details: { step: "name", checkpointId: expect.any(String) as string } },
    });
  });

  it("TOPIC_EXTRACTION_ERROR: not fatal, uses a default topic with a warning", async () => {
    expect(await server.ok(STORE, { conversation: "User: 🎉 !!!" })).toMatchObject({
      topic: "conversation",
      filename: "session-20250115-143022-conversation.md",
      warning: 'No topic could be extracted, using "conversation"',
    });
  });

  it.each([
    ["with its key", { WORKRAIL_ENCRYPTION_KEY: "ab".repeat(32) }, /unencrypted/u],
    ["without its key", { WORKRAIL_ENCRYPTION_KEY: "no key" }, /key/u],
  ])("FILE_WRITE_ERROR: a sealed store, %s, that does not allow unencrypted files", async (_, env, message) => {
    await using ours = await homeWithProject();
    await using sealed = await ServerProcess.start({ home: ours, env: { WORKRAIL_ENCRYPTION: "enabled", ...env } });
    expect(await fails({ conversation: "User: hello" }, sealed)).toMatchObject({
      error: "FILE_WRITE_ERROR",
      message: expect.stringMatching(message),
      meta: { httpStatus: 500 },
    });
    expect(await sessionFiles(ours.project)).toEqual([]);
  });

  it("UNKNOWN_ERROR: any other fault, such as a wrong setting", async () => {
    await using ours = await homeWithProject();
    await using wrong = await ServerProcess.start({ home: ours, env: { WORKRAIL_MAX_DEPTH: "deep" } });
    expect(await fails({ conversation: "User: hello" }, wrong)).toMatchObject({ error: "UNKNOWN_ERROR", meta: { httpStatus: 500 } });
  });
});

describe("the edge cases of the specification", () => {
  it.each([
    ["no messages", []],
    ["blanks", " \n\t "],
    ["messages without content", [{ role: "user" }, { role: "assistant", content: "" }]],
  ])("empty conversation: stored with a warning: %s", async (_, conversation) => {
    const { warning, checkpointId, file } = await server.ok(STORE, { conversation });
    expect(warning).toBe("Conversation is empty");
    expect(await server.ok(LOAD, { checkpointId })).toMatchObject({ context: { conversation } });
    expect(await readFile(String(file), "utf8")).toContain("topic:");
  });

  it("very long conversation: 1.1 MB is cut with a warning, and complete in the store, byte for byte", async () => {
    const conversation = `User: Read this\nAI: ${Array.from({ length: 46_000 }, (_, index) => `línea ${index} 🎉 of them`).join("\n")}\n `;
    expect(Buffer.byteLength(conversation)).toBeGreaterThan(1.1 * MiB);
    const { warning, checkpointId, file } = await server.ok(STORE, { conversation });
    expect(warning).toBe("Conversation truncated to 1MB");
    const page = await readFile(String(file));
    expect(page.length).toBeLessThanOrEqual(MiB);
    expect(page.length).toBeGreaterThan(MiB - 10);
    const text = page.toString();
    expect(text).not.toContain("\ufffd");
    expect(text).toContain(`@workrail/mcp-server load ${String(checkpointId)}`);
    expect(text).toMatch(/truncated to 1MB\.\*\* The rest is in the store/u);
    const { context } = (await server.ok(LOAD, { checkpointId, full: true })) as { context: { conversation: string } };
    expect(context.conversation === conversation).toBe(true);
  });

  it("project root not found, an empty conversation: several warnings are joined by semicolons", async () => {
    expect(await elsewhere.ok(STORE, { conversation: [] })).toMatchObject({
      warning: "Conversation is empty; Using current directory as project root",
    });
  });

  it("filename collision: a counter is appended", async () => {
    const names: unknown[] = [];
    for (let call = 0; call < 3; call++) names.push((await server.ok(STORE, { conversation: "hello", topic: "topic" }))["filename"]);
    expect(names).toEqual(["session-20250115-143022-topic.md", "session-20250115-143022-topic-1.md", "session-20250115-143022-topic-2.md"]);
  });

  it(`filename collision: ${PROCESSES} processes store in the same second, and none is lost`, async () => {
    await using shared = await homeWithProject();
    const servers = await Promise.all(Array.from({ length: PROCESSES }, () => ServerProcess.start({ home: shared, ...atOneTime })));
    try {
      const answers = await Promise.all(servers.map((each, who) => each.ok(STORE, { conversation: `User: it is ${who}`, topic: "Same" })));
      const files = await sessionFiles(shared.project);
      expect(files.map((file) => basename(file)).toSorted()).toEqual([
        ...Array.from({ length: PROCESSES - 1 }, (_, index) => `session-20250115-143022-same-${index + 1}.md`),
        "session-20250115-143022-same.md",
      ]);
      for (const [who, { file, checkpointId }] of answers.entries()) {
        expect(await readFile(String(file), "utf8")).toContain(`\nit is ${who}\n`);
        expect(await servers[0]?.ok(LOAD, { checkpointId })).toMatchObject({ context: { conversation: `User: it is ${who}` } });
      }
    } finally {
      await Promise.all(servers.map((each) => each[Symbol.asyncDispose]()));
    }
  });
});

describe("the limits of the specification", () => {
  it("conversation size: 10MB is accepted, more is refused before anything is written", async () => {
    const before = await server.ok(LIST, { kind: "conversation" });
    for (const conversation of ["x".repeat(10 * MiB + 1), [{ role: "user", content: "x".repeat(10 * MiB) }]]) {
      expect(await fails({ conversation })).toMatchObject({
        error: "INVALID_INPUT",
        message: "The conversation is larger than 10MB",
        meta: { httpStatus: 400 },
      });
    }
    expect(await sessionFiles()).toEqual([]);
    expect((await server.ok(LIST, { kind: "conversation" }))["total"]).toBe(before["total"]);
    expect(await server.ok(STORE, { conversation: LARGEST })).toMatchObject({ warning: "Conversation truncated to 1MB" });
  });

  it("topic length: at most 100 characters, and 50 in the filename", async () => {
    const { topic, filename } = await server.ok(STORE, { conversation: "hello", topic: "word ".repeat(100) });
    expect(topic).toBe("word-".repeat(20).slice(0, -1));
    expect(filename).toBe(`session-20250115-143022-${"word-".repeat(10).slice(0, -1)}.md`);
  });

  it.each([MiB - 1, MiB])("file size: a conversation of %d bytes is not cut", async (bytes) => {
    const { warning, file } = await server.ok(STORE, { conversation: "x".repeat(bytes) });
    expect(warning).toBeUndefined();
    expect(await readFile(String(file), "utf8")).toContain("x".repeat(bytes));
  });

  it("file size: a conversation of one byte more is cut", async () => {
    const { warning, file } = await server.ok(STORE, { conversation: "x".repeat(MiB + 1) });
    expect(warning).toBe("Conversation truncated to 1MB");
    expect((await readFile(String(file))).length).toBeLessThanOrEqual(MiB);
  });

  it("topic length: counts characters, not UTF-16 units", async () => {
    const { topic } = await server.ok(STORE, { conversation: "hello", topic: "\u{20000}".repeat(101) });
    expect(topic).toBe("\u{20000}".repeat(100));
  });
});

describe("the security of the specification", () => {
  it.each(["../../../etc/passwd", "..\\..\\x", "/etc/passwd", "a/../../b", "C:\\x", "con", "x\0y", "\u202e"])(
    "directory traversal, special characters: the topic %j stays in its folder",
    async (topic) => {
      const { filename } = await server.ok(STORE, { conversation: "User: hello", topic });
      expect(await sessionFiles()).toEqual([join(".codearchitect", "sessions", "2025-01-15", String(filename))]);
      expect(filename).toMatch(/^session-20250115-143022-[a-z-]+\.md$/u);
    },
  );

  it.skipIf(!isPosix)("(links; not on Windows) paths within the project: a link that leads out of it is not followed", async () => {
    await using outside = await TestHome.create();
    await mkdir(join(home.project, ".codearchitect"));
    await symlink(outside.directory, join(home.project, ".codearchitect", "sessions"));
    expect(await fails({ conversation: "User: hello" })).toMatchObject({
      error: "DIRECTORY_CREATION_ERROR",
      message: expect.stringContaining("link") as string,
    });
    expect(await readdir(outside.directory)).toEqual([]);
  });
});

describe("the checkpoint of each conversation", () => {
  it("is exempt from the limit of checkpoints of a session", async () => {
    await using ours = await homeWithProject();
    await using bounded = await ServerProcess.start({ home: ours, env: { WORKRAIL_MAX_CHECKPOINTS: "2" } });
    const ids: unknown[] = [];
    for (let call = 0; call < 4; call++) ids.push((await bounded.ok(STORE, { conversation: `User: ${call}` }))["checkpointId"]);
    for (const [call, checkpointId] of ids.entries()) {
      expect(await bounded.ok(LOAD, { checkpointId })).toMatchObject({ context: { conversation: `User: ${call}` } });
    }
  });
});

describe("the checkpoint of a conversation", () => {
  let ours: TestHome;
  let own: ServerProcess;

  beforeEach(async () => {
    ours = await homeWithProject();
    own = await ServerProcess.start({ home: ours });
    return async () => {
      await own[Symbol.asyncDispose]();
      await ours[Symbol.asyncDispose]();
    };
  });

  it("belongs to the current session, and changes neither its head nor the session of later saves", async () => {
    const work = await own.ok(SAVE, { sessionId: "work", context: { goal: "ship" } });
    const { checkpointId } = await own.ok(STORE, { conversation: "User: hello" });
    const loaded = await own.ok(LOAD, { checkpointId });
    expect(loaded).toMatchObject({ metadata: { kind: "conversation", conversationOf: "work" } });
    expect(loaded["sessionId"]).not.toBe("work");
    expect(await own.ok(LOAD, { sessionId: "work" })).toMatchObject({ checkpointId: work["checkpointId"], context: { goal: "ship" } });
    await own.ok(LOAD, { checkpointId });
    expect(await own.ok(SAVE, { context: { goal: "ship", step: 2 } })).toMatchObject({ sessionId: "work", sessionReason: "process" });
    await using later = await ServerProcess.start({ home: ours });
    await later.ok(LOAD, { sessionId: "work" });
    const next = await later.ok(STORE, { conversation: "User: hello again" });
    expect(await later.ok(LOAD, { checkpointId: next["checkpointId"], full: true })).toMatchObject({
      sessionId: loaded["sessionId"],
      metadata: { parentId: checkpointId, conversationOf: "work" },
    });
  });

  it("is always new, in a separate session if none is in use", async () => {
    const [first, second] = [await own.ok(STORE, { conversation: "User: same" }), await own.ok(STORE, { conversation: "User: same" })];
    expect(first["checkpointId"]).not.toBe(second["checkpointId"]);
    const loaded = await own.ok(LOAD, { checkpointId: second["checkpointId"], full: true });
    expect(loaded).toMatchObject({ metadata: { parentId: first["checkpointId"] } });
    expect(loaded["metadata"]).not.toHaveProperty("conversationOf");
    expect(await own.ok(SAVE, { context: { a: 1 } })).toMatchObject({ sessionReason: "fresh" });
  });
});

describe("without its store", () => {
  it("the file is written, and a warning says that the conversation is in memory", async () => {
    await using ours = await homeWithProject();
    await writeFile(ours.dataDir, "in the way");
    await using degraded = await ServerProcess.start({ home: ours });
    const { warning, checkpointId, file } = await degraded.ok(STORE, { conversation: "User: hello" });
    expect(warning).toContain("in this process's memory only, not on disk");
    expect(await readFile(String(file), "utf8")).toContain(`checkpoint: "${String(checkpointId)}"`);
    expect(await degraded.ok(LOAD, { checkpointId })).toMatchObject({ context: { conversation: "User: hello" }, durability: "memory" });
    await rm(ours.dataDir);
    await degraded.ok(SAVE, { sessionId: "work", context: { a: 1 } });
    await vi.waitFor(async () => {
      expect(await degraded.ok(LOAD, { checkpointId })).toMatchObject({ context: { conversation: "User: hello" }, durability: "disk" });
    }, 60_000);
  });

  it("without memory either, the file is written without a checkpoint, with a warning", async () => {
    await using ours = await homeWithProject();
    await using full = await ServerProcess.start({ home: ours, env: { WORKRAIL_MAX_TOTAL_BYTES: "1" } });
    const answer = await full.ok(STORE, { conversation: "User: hello" });
    expect(answer["warning"]).toMatch(/^The store did not take the conversation, which is in the file alone \(STORAGE_QUOTA_EXCEEDED: /u);
    expect(answer).not.toHaveProperty("checkpointId");
    const text = await readFile(String(answer["file"]), "utf8");
    expect(text).not.toContain("checkpoint");
    expect(text).toContain("hello");
  });
});

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import { TestHome } from "../testing/server-process.ts";
import { createToken, type NewToken } from "./token-file.ts";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A node that is the store of several laptops. */
class Node {
  readonly home: TestHome;
  readonly launcher: string;
  readonly #tokens: Readonly<Record<string, string>>;
  readonly #tokenFile: string;
  #server: HttpFixture | undefined;
  #isAway = true;

  private constructor(home: TestHome, launcher: string, tokenFile: string) {
    this.home = home;
    this.launcher = launcher;
    this.#tokenFile = tokenFile;
    const given: readonly Omit<NewToken, "days">[] = [
      { name: "writer", scopes: ["read", "write"] },
      { name: "reader", scopes: ["read"] },
      { name: "admin", scopes: ["read", "write", "admin"] },
    ];
    this.#tokens = Object.fromEntries(given.map((token) => [token.name, createToken(tokenFile, { ...token, days: 1 })]));
  }

  static async create(): Promise<Node> {
    const home = await TestHome.create();
    const node = new Node(home, join(await bundleServer(), "workrail-mcp.mjs"), join(home.directory, "tokens.json"));
    await node.start();
    return node;
  }

  /** Its address, also while it is away. */
  get origin(): string | undefined {
    return this.#server?.url.origin;
  }

  token(name: string): string | undefined {
    return this.#tokens[name];
  }

  /** Makes a token, which the running node knows at once. */
  addToken(token: Omit<NewToken, "days">): string {
    return createToken(this.#tokenFile, { ...token, days: 1 });
  }

  /** True after `kill`. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Starts it, on the same port as before. */
  async start(): Promise<void> {
    const port = this.#server?.url.port ?? "0";
    const args = [this.launcher, "--http", port, "--http-token-file", this.#tokenFile, "--http-rate-limit", "0"];
    const program = { command: process.execPath, args, cwd: this.home.project };
    this.#server = await HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: this.#dataDir } });
    this.#isAway = false;
  }

  async kill(): Promise<void> {
    this.#server?.kill("SIGKILL");
    await this.#server?.exit();
    this.#isAway = true;
  }

  /** Its store, opened on its machine. */
  openBeside(): Promise<Workrail> {
    return openWorkrail({ env: {}, dataDir: this.#dataDir, project: null, upkeep: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.home[Symbol.asyncDispose]();
  }

  get #dataDir(): string {
    return join(this.home.directory, "node");
  }
}

/** A laptop whose store is a node. */
class Laptop {
  readonly home: TestHome;
  readonly #node: Node;
  readonly #begun: number = Date.now() - 60_000;
  readonly #confined: string;

  private constructor(home: TestHome, node: Node) {
    this.home = home;
    this.#node = node;
    this.#confined = node.addToken({ name: `confined-${randomUUID()}`, scopes: ["read", "write"], projects: [this.project] });
  }

  static async create(node: Node): Promise<Laptop> {
    const laptop = new Laptop(await TestHome.create(), node);
    mkdirSync(laptop.project);
    return laptop;
  }

  get project(): string {
    return join(this.home.directory, "laptop");
  }

  /** Files that wait for the store. */
  get waiting(): readonly string[] {
    return this.#filesIn("incoming");
  }

  get refused(): readonly string[] {
    return this.#filesIn(join("incoming", "refused"));
  }

  /** Writes a transcript of Claude Code, and runs a hook on it. */
  hook(
    event: string,
    { id, said, source }: { readonly id: string; readonly said: readonly string[]; readonly source?: string },
  ): Promise<Ended> {
    const transcript = join(this.home.directory, `${id}.jsonl`);
    const ids = said.map((_, index) => `${id.slice(0, -2)}${String(index).padStart(2, "0")}`);
    const lines = said.map((text, index) => {
      const [type, content] = index % 2 === 0 ? ["user", text] : ["assistant", [{ type: "text", text }]];
      const about = {
        parentUuid: ids[index - 1] ?? null,
        isSidechain: false,
        type,
        uuid: ids[index],
        sessionId: id,
        cwd: this.project,
      };
      return JSON.stringify({ ...about, timestamp: new Date(this.#begun + index).toISOString(), message: { role: type, content } });
    });
    writeFileSync(transcript, lines.map((line) => `${line}\n`).join(""));
    const payload = { session_id: id, transcript_path: transcript, cwd: this.project, hook_event_name: event, source };
    return this.run(["hook", event, "--host", "claude-code", "--strict"], { input: JSON.stringify(payload) });
  }

  /** Runs a command in a process of its own. */
  run(args: readonly string[], { input = "", token = "writer" } = {}): Promise<Ended> {
    const child = spawn(process.execPath, [this.#node.launcher, ...args], { cwd: this.project, env: this.#envWith(token) });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, stdout, stderr }));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }

  #envWith(token: string): NodeJS.ProcessEnv {
    return {
      ...process.env,
      WORKRAIL_DATA_DIR: join(this.home.directory, "laptop-data"),
      WORKRAIL_STORE: this.#node.origin,
      WORKRAIL_STORE_TOKEN: token === "confined" ? this.#confined : this.#node.token(token),
    };
  }

  #filesIn(folder: string): readonly string[] {
    try {
      return readdirSync(join(this.home.directory, "laptop-data", folder)).filter((name) => name.endsWith(".json"));
    } catch {
      return [];
    }
  }
}

describe("hooks of a machine whose store is a node", () => {
  let node: Node;
  let laptop: Laptop;
  beforeAll(async () => {
    node = await Node.create();
  });
  afterAll(() => node[Symbol.asyncDispose]());
  beforeEach(async () => {
    // A test that failed may have left it so.
    if (node.isAway) await node.start();
    laptop = await Laptop.create(node);
  });
  afterEach(() => laptop[Symbol.asyncDispose]());

  const SAID = ["Mend the pier.", "I mend it.", "Then the crane.", "The crane, too."];
  const aSession = (said = SAID): { readonly id: string; readonly said: readonly string[] } => ({ id: randomUUID(), said });
  const done: Ended = { code: 0, stdout: "", stderr: "" };

  it("leave saves that the next command sends to the node, as a store of this machine takes them in", async () => {
    // The last one has no answer: the next session reports it.
    const session = aSession([...SAID, "And the mast."]);
    expect(await laptop.hook("stop", { ...session, said: SAID.slice(0, 2) })).toEqual(done);
    expect(await laptop.hook("session-end", session)).toEqual(done);
    expect(laptop.waiting.length).toBeGreaterThan(0);
    const resumed = await laptop.run(["resume", "--session", `claude-code-${session.id}`, "--json"]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: "LOADED", origin: { agentId: "claude-code" } });
    expect({ waiting: laptop.waiting, refused: laptop.refused }).toEqual({ waiting: [], refused: [] });
    await using store = await node.openBeside();
    const { context, metadata } = await store.loadCheckpoint({ sessionId: `claude-code-${session.id}-conversation` });
    const { conversation } = context as { readonly conversation: readonly { readonly content: string }[] };
    expect(conversation.map(({ content }) => content)).toEqual(session.said);
    expect(metadata).toMatchObject({ project: laptop.project, tags: ["hook"] });
    const { entries } = await store.auditLog({ actions: ["save"] });
    expect(new Set(entries.map(({ subject }) => subject))).toEqual(new Set(["writer"]));
    const next = await laptop.hook("session-start", { ...aSession([]), source: "startup" });
    expect(next.stdout).toContain(session.id);
  });

  it("keep saves while the node is away, and the node takes each once when it is back", async () => {
    const session = aSession();
    await laptop.hook("stop", { ...session, said: SAID.slice(0, 2) });
    await node.kill();
    await laptop.hook("session-end", session);
    const waiting = laptop.waiting.length;
    expect(await laptop.run(["list"])).toMatchObject({ code: 15, stderr: expect.stringContaining("STORAGE_UNAVAILABLE") as string });
    expect(laptop.waiting).toHaveLength(waiting);
    await node.start();
    const lists = await Promise.all([laptop.run(["list"]), laptop.run(["list"])]);
    expect(lists.map(({ code }) => code)).toEqual([0, 0]);
    expect({ waiting: laptop.waiting, refused: laptop.refused }).toEqual({ waiting: [], refused: [] });
    await using store = await node.openBeside();
    const { checkpoints } = await store.findCheckpoints({ project: laptop.project, limit: 100 });
    expect(checkpoints).toHaveLength(waiting);
    expect((await store.verifyStore()).findings).toEqual([]);
  });

  it("send a whole conversation again when the node lacks its beginning", async () => {
    const session = aSession();
    const sessionId = `claude-code-${session.id}-conversation`;
    await laptop.hook("session-end", session);
    expect((await laptop.run(["list"])).code).toBe(0);
    await node.kill();
    {
      await using store = await node.openBeside();
      await store.erase({ sessionId });
    }
    await node.start();
    const more = [...SAID, "And the mast.", "It stands."];
    for (let end = 0; end < 2; end++) {
      await laptop.hook("session-end", { ...session, said: more });
      expect((await laptop.run(["list"])).code).toBe(0);
    }
    await using store = await node.openBeside();
    const { conversation } = (await store.loadCheckpoint({ sessionId })).context as {
      readonly conversation: readonly { content: string }[];
    };
    expect(conversation.map(({ content }) => content)).toEqual(more);
  });

  it.each([
    ["reader", "scope write"],
    ["confined", "whole store"],
  ])("keep saves while the token %s has no right to save them", async (token, reason) => {
    await laptop.hook("session-end", aSession());
    const waiting = laptop.waiting.length;
    const listed = await laptop.run(["list"], { token });
    expect(listed.code).toBe(0);
    expect(listed.stderr).toContain(reason);
    expect({ waiting: laptop.waiting.length, refused: laptop.refused }).toEqual({ waiting, refused: [] });
    expect((await laptop.run(["list"])).code).toBe(0);
    expect(laptop.waiting).toEqual([]);
  });

  it("do not save a session again that was erased over the node", async () => {
    const session = aSession();
    const sessionId = `claude-code-${session.id}`;
    await laptop.hook("session-end", session);
    expect(await laptop.run(["delete", "--session", sessionId, "--permanently", "--yes"], { token: "admin" })).toMatchObject({ code: 0 });
    await laptop.hook("session-end", { ...session, said: [...SAID, "Once more.", "Yes."] });
    expect(laptop.waiting).toEqual([]);
    await using store = await node.openBeside();
    await expect(store.loadCheckpoint({ sessionId })).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  it("cannot send what no hook wrote", async () => {
    await using store = await openWorkrail({
      env: { WORKRAIL_STORE: node.origin, WORKRAIL_STORE_TOKEN: node.token("writer") },
      project: null,
    });
    const save = {
      format: "workrail-incoming",
      version: 1,
      checkpointId: "hooked",
      sessionId: "hooked",
      createdAt: "2999-01-01T00:00:00Z",
    };
    const whole = { ...save, kind: "workflow", context: { a: 1 }, tags: [], attributes: {}, agentId: "codex", git: { root: 7 } } as never;
    expect(await store.takeSaves({ saves: [save as never, whole, whole] })).toMatchObject({
      outcomes: [{ status: "refused", error: { code: "INVALID_INPUT" } }, { status: "taken" }, { status: "present" }],
    });
    const { metadata } = await store.loadCheckpoint({ sessionId: "hooked" });
    expect(Date.parse(metadata.createdAt)).toBeLessThan(Date.now() + 60_000);
    expect(metadata).not.toHaveProperty("gitState");
  });
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { HookEvent } from "@workrail/host-transcripts";
import { afterEach, beforeEach } from "vitest";
import type { HookPorts } from "../src/hooks/hook-call.ts";
import { hookPlaces } from "../src/hooks/hook-places.ts";
import { waitingFiles } from "../src/hooks/incoming-save.ts";
import { runHook } from "../src/hooks/run-hook.ts";
import { openWorkrail } from "../src/open-workrail.ts";
import type { Workrail } from "../src/workrail.ts";

/** Session of Claude Code that hooks are called for, unless a test names another. */
export const SESSION = "7b1d1f6c-34b8-450e-82e8-700ac148aa5f";
export const FIRST = "Make the login redirect work. Never touch src/legacy.";

/** Gives each test a home directory, a repository on branch main, a data directory, and a fixed clock. */
export class HookScene {
  root = "";
  now = new Date(Number.NaN);
  env: Record<string, string> = {};

  prepare(): void {
    this.root = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-hooks-"));
    fs.mkdirSync(path.join(this.project, ".git"), { recursive: true });
    fs.writeFileSync(path.join(this.project, ".git", "HEAD"), "ref: refs/heads/main\n");
    fs.mkdirSync(this.folder(), { recursive: true });
    this.now = new Date("2026-01-02T10:00:00Z");
    this.env = { WORKRAIL_DATA_DIR: this.data() };
  }

  get project(): string {
    return path.join(this.root, "project");
  }

  readonly folder = (): string => path.join(this.root, "home", ".claude", "projects", "-project");
  readonly transcript = (id = SESSION): string => path.join(this.folder(), `${id}.jsonl`);
  readonly data = (): string => path.join(this.root, "data");
  readonly incoming = (): string[] => waitingFiles(hookPlaces(this.data()).incoming);
  readonly allFiles = (): string[] =>
    fs
      .readdirSync(this.data(), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(this.data(), name))
      .filter((file) => fs.statSync(file).isFile());

  /** Begins or continues a transcript. */
  readonly converse = (id = SESSION): Transcript => new Transcript(this, id);

  readonly hook = (event: HookEvent, more: object = {}, ports: Partial<HookPorts> = {}): Promise<string> => {
    const payload = { session_id: SESSION, transcript_path: this.transcript(), cwd: this.project, hook_event_name: "Any", ...more };
    return this.raw(event, JSON.stringify(payload), ports);
  };

  readonly raw = async (event: HookEvent, input: string, ports: Partial<HookPorts> = {}): Promise<string> => {
    const base = { env: this.env, home: path.join(this.root, "home"), now: () => this.now, msLeft: () => 5_000, saveNow: async () => {} };
    const { output } = await runHook(event, { host: "claude-code", input }, { ...base, ...ports });
    return output;
  };

  readonly minutes = (count: number): void => {
    this.now = new Date(this.now.getTime() + count * 60_000);
  };

  readonly open = (): Promise<Workrail> => openWorkrail({ dataDir: this.data(), env: {}, project: this.project });

  /** The payload of the start of another session. */
  readonly next = (more: object = {}): object => ({
    session_id: "other",
    transcript_path: this.transcript("other"),
    source: "startup",
    ...more,
  });

  /** The saved messages of the session, as JSON. */
  readonly conversationNow = async (): Promise<string> => {
    const store = await this.open();
    try {
      const { context } = await store.loadCheckpoint({ sessionId: `claude-code-${SESSION}-conversation` });
      return JSON.stringify((context as { conversation: unknown }).conversation);
    } finally {
      await store.close();
    }
  };
}

/** Writes a transcript as Claude Code does. */
export class Transcript {
  readonly #scene: HookScene;
  readonly #id: string;
  #last: string | null = null;
  #count = 0;
  constructor(scene: HookScene, id: string) {
    this.#scene = scene;
    this.#id = id;
  }
  add(type: "user" | "assistant", content: unknown): this {
    const uuid = `u${this.#id.slice(0, 4)}-${this.#count++}`;
    const about = {
      parentUuid: this.#last,
      isSidechain: false,
      type,
      uuid,
      sessionId: this.#id,
      cwd: this.#scene.project,
      timestamp: this.#scene.now.toISOString(),
    };
    fs.appendFileSync(this.#scene.transcript(this.#id), `${JSON.stringify({ ...about, message: { role: type, content } })}\n`);
    this.#last = uuid;
    return this;
  }
  prompt(text: string): this {
    return this.add("user", text);
  }
  reply(text: string): this {
    return this.add("assistant", [{ type: "text", text }]);
  }
  run(id: string, command: string, output: string): this {
    return this.#call(id, command, { content: output, is_error: false });
  }
  fail(id: string, command: string, output: string): this {
    return this.#call(id, command, { content: output, is_error: true });
  }
  #call(id: string, command: string, result: { readonly content: string; readonly is_error: boolean }): this {
    this.add("assistant", [{ type: "tool_use", id, name: "Bash", input: { command } }]);
    return this.add("user", [{ type: "tool_result", tool_use_id: id, ...result }]);
  }
}

/** A new scene before each test of the file. */
export function useHookScene(): HookScene {
  const scene = new HookScene();
  beforeEach(() => scene.prepare());
  afterEach(() => fs.rmSync(scene.root, { recursive: true, force: true }));
  return scene;
}

/** The text that a hook gives to the model. */
export const told = (output: string): string =>
  output === "" ? "" : (JSON.parse(output) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput.additionalContext;

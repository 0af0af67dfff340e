import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type HookEvent, type TranscriptHost, transcriptsBelow } from "@workrail/host-transcripts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookPlaces } from "../hooks/hook-places.ts";
import { waitingFiles } from "../hooks/incoming-save.ts";
import { runHook } from "../hooks/run-hook.ts";
import { openWorkrail } from "../open-workrail.ts";
import type { Workrail } from "../workrail.ts";
import { importTranscripts, type ImportTranscriptsOptions, type TranscriptOutcome } from "./import-transcripts.ts";

const ID = "7b1d1f6c-34b8-450e-82e8-700ac148aa5f";
const WORK = `claude-code-${ID}`;
const TALK = `${WORK}-conversation`;
const FIXTURES = path.join(import.meta.dirname, "../../../host-transcripts/test/fixtures");
let root: string;
let now: Date;
let env: Record<string, string>;
/** Turns in each transcript. */
let turns: Map<string, number>;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-host-import-"));
  fs.mkdirSync(path.join(root, "project", ".git"), { recursive: true });
  fs.writeFileSync(path.join(root, "project", ".git", "HEAD"), "ref: refs/heads/main\n");
  fs.mkdirSync(path.join(root, "transcripts"));
  now = new Date(Date.now() - 3 * 86_400_000);
  env = { WORKRAIL_DATA_DIR: path.join(root, "data") };
  turns = new Map();
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const fileOf = (id = ID): string => path.join(root, "transcripts", `${id}.jsonl`);
const states = (): string => hookPlaces(path.join(root, "data")).sessions;

/** Appends turns to a transcript as Claude Code writes it, a minute apart. */
function write(texts: readonly string[], { id = ID, cwd = path.join(root, "project") } = {}): void {
  const before = turns.get(id) ?? 0;
  const lines = texts.map((text, index) => {
    now = new Date(now.getTime() + 60_000);
    const at = before + index;
    const type = at % 2 === 0 ? "user" : "assistant";
    const content = type === "user" ? text : [{ type: "text", text }];
    const links = { parentUuid: at === 0 ? null : `u${at - 1}-${id}`, isSidechain: false, type, uuid: `u${at}-${id}`, sessionId: id };
    const entry = { ...links, cwd, gitBranch: "main", timestamp: now.toISOString(), message: { role: type, content } };
    return `${JSON.stringify(entry)}\n`;
  });
  fs.appendFileSync(fileOf(id), lines.join(""));
  turns.set(id, before + lines.length);
}

async function withStore<T>(work: (store: Workrail) => Promise<T>): Promise<T> {
  const store = await openWorkrail({ env, project: path.join(root, "project"), fallback: "fail" });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const bring = (more: Partial<ImportTranscriptsOptions> = {}, host: Exclude<TranscriptHost, "opencode"> = "claude-code") =>
  withStore(async (store) => {
    const { transcripts } = transcriptsBelow(host, path.join(root, "transcripts"));
    const outcomes: TranscriptOutcome[] = [];
    for await (const outcome of importTranscripts(store, { transcripts, sources: { env }, ...more })) outcomes.push(outcome);
    return outcomes;
  });

const counts = (outcomes: readonly TranscriptOutcome[]) =>
  outcomes.map((outcome) =>
    outcome.status === "imported" ? outcome.results.map(({ added, present, leftOut }) => [added, present, leftOut]) : outcome,
  );

const checkpoints = (sessionId: string) =>
  withStore(async (store) => {
    const { checkpoints: found } = await store.findCheckpoints({ sessionId });
    const latest = found[0] === undefined ? undefined : await store.loadCheckpoint({ checkpointId: found[0].id });
    return { found, context: latest?.context };
  });

const said = async (): Promise<readonly unknown[]> => {
  const { context } = await checkpoints(TALK);
  return ((context?.["conversation"] ?? []) as { content: unknown }[]).map(({ content }) => content);
};

function hook(event: HookEvent, id = ID) {
  const payload = { session_id: id, transcript_path: fileOf(id), cwd: path.join(root, "project"), hook_event_name: "Any" };
  const ports = { env, home: path.join(root, "home"), now: () => now, msLeft: () => 5_000, saveNow: async () => {} };
  return runHook(event, { host: "claude-code", input: JSON.stringify(payload) }, ports);
}

describe("an import of transcripts", () => {
  it("makes the same two sessions that hooks make, with their dates", async () => {
    write(["Fix the login. Never touch src/legacy.", "Done. Next: logout."]);
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    const work = await checkpoints(WORK);
    expect(work.context).toMatchObject({
      goal: expect.stringContaining("Fix the login"),
      session: { id: ID, conversation: TALK, prompts: 1 },
    });
    expect(work.found).toMatchObject([
      {
        createdAt: now.toISOString(),
        tags: ["import"],
        kind: "workflow",
        agentId: "claude-code",
        project: path.join(root, "project"),
        gitState: { branch: "main" },
        attributes: { host: "claude-code", hostSession: ID, savedBy: "import" },
      },
    ]);
    expect((await checkpoints(TALK)).found).toMatchObject([
      { kind: "conversation", attributes: { conversationOf: WORK }, tags: ["import"] },
    ]);
    expect(await said()).toEqual(["Fix the login. Never touch src/legacy.", "Done. Next: logout."]);
    // The same sessions, as a hook of the same transcript makes them.
    const imported = work.context;
    env = { WORKRAIL_DATA_DIR: path.join(root, "other") };
    await hook("session-end");
    expect((await checkpoints(WORK)).context).toEqual(imported);
  });

  it("adds nothing the second time, with or without the states that hooks keep", async () => {
    write(["Fix the login.", "Done."]);
    await bring();
    expect(counts(await bring())).toEqual([
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ]);
    fs.rmSync(states(), { recursive: true });
    expect(counts(await bring())).toEqual([
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ]);
  });

  it("adds the newer state and the longer conversation of one that grew", async () => {
    write(["Fix the login.", "Done."]);
    await bring();
    write(["And the logout.", "Done, too."]);
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    expect(await said()).toEqual(["Fix the login.", "Done.", "And the logout.", "Done, too."]);
    const { found } = await checkpoints(WORK);
    expect(found).toMatchObject([{ parentId: found[1]?.id, sequence: 2 }, { sequence: 1 }]);
  });

  it("stops where hooks then continue", async () => {
    write(["Fix the login.", "Done."]);
    await bring();
    write(["And the logout.", "Done, too."]);
    await hook("session-end");
    expect(await said()).toEqual(["Fix the login.", "Done.", "And the logout.", "Done, too."]);
    expect((await checkpoints(TALK)).found.map(({ attributes }) => attributes?.["savedBy"])).toEqual(["session-end", "import"]);
  });

  it("leaves nothing to catch up for the next start of a session", async () => {
    write(["Fix the login.", "Done."]);
    await bring();
    await hook("session-start", "another");
    expect(waitingFiles(hookPlaces(path.join(root, "data")).incoming)).toEqual([]);
  });

  it("doubles no message when a hook knows nothing of it", async () => {
    write(["Fix the login.", "Done."]);
    await bring();
    fs.rmSync(states(), { recursive: true });
    await hook("session-end");
    expect(await said()).toEqual(["Fix the login.", "Done."]);
    expect((await checkpoints(WORK)).found).toHaveLength(1);
  });

  it("adds only messages that hooks did not save", async () => {
    write(["Fix the login.", "Done."]);
    await hook("session-end");
    const all = [
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ];
    expect(counts(await bring())).toEqual(all);
    fs.rmSync(states(), { recursive: true });
    expect(counts(await bring())).toEqual(all);
    write(["And the logout."]);
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    expect(await said()).toEqual(["Fix the login.", "Done.", "And the logout."]);
  });

  it("completes a later save of a hook that held less", async () => {
    write(["Fix the login.", "Done."]);
    const whole = fs.readFileSync(fileOf());
    fs.writeFileSync(fileOf(), whole.subarray(0, whole.indexOf("\n") + 1));
    now = new Date(now.getTime() + 60 * 60_000);
    await hook("session-end");
    fs.writeFileSync(fileOf(), whole);
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    expect(await said()).toEqual(["Fix the login.", "Done."]);
  });

  it("takes the name of a transcript for its session, where entries of an earlier session stand at its beginning", async () => {
    write(["Fix the login.", "Done."]);
    const forked = "00000000-0000-4000-8000-000000000001";
    fs.copyFileSync(fileOf(), fileOf(forked));
    const outcomes = await bring();
    const sessions = outcomes.flatMap((each) => (each.status === "imported" ? [each.sessionId] : []));
    expect(new Set(sessions)).toEqual(new Set([`claude-code-${forked}`, WORK]));
  });

  it("does not add an older copy of a transcript after the newer state", async () => {
    write(["Fix the login.", "Done."]);
    fs.mkdirSync(path.join(root, "transcripts", "old"));
    fs.copyFileSync(fileOf(), path.join(root, "transcripts", "old", `${ID}.jsonl`));
    write(["And the logout."]);
    await bring();
    fs.rmSync(states(), { recursive: true });
    await bring();
    expect(await said()).toEqual(["Fix the login.", "Done.", "And the logout."]);
    expect((await checkpoints(WORK)).context).toMatchObject({ session: { prompts: 2 } });
  });

  it("keeps a sealed store sealed", async () => {
    env["WORKRAIL_ENCRYPTION"] = "enabled";
    // Not a passphrase, from which each opening would derive the key for half a second.
    env["WORKRAIL_ENCRYPTION_KEY"] = "11".repeat(32);
    write(["Fix the login.", "Done."]);
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    expect(counts(await bring())).toEqual([
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ]);
    const names = fs.readdirSync(path.join(root, "data"), { recursive: true, encoding: "utf8" });
    const files = names.map((name) => path.join(root, "data", name)).filter((file) => fs.statSync(file).isFile());
    expect(files.filter((file) => fs.readFileSync(file, "utf8").includes("Fix the login"))).toEqual([]);
    expect(await said()).toEqual(["Fix the login.", "Done."]);
  });

  it("leaves sessions in the trash", async () => {
    write(["Fix the login.", "Done."]);
    await bring();
    await withStore((store) => store.cleanUp({ sessionId: WORK }));
    expect(counts(await bring())).toEqual([
      [
        [0, 0, 1],
        [0, 1, 0],
      ],
    ]);
    await withStore((store) => store.emptyTrash());
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [0, 1, 0],
      ],
    ]);
  });

  it("selects transcripts by project and date", async () => {
    write(["Fix the login."]);
    write(["Water the plants."], { id: "garden", cwd: path.join(root, "garden") });
    const project = path.join(root, "garden");
    const of = (outcomes: readonly TranscriptOutcome[]) => outcomes.map((each) => (each.status === "left-out" ? each.why : each.status));
    expect(of(await bring({ project, dryRun: true })).toSorted()).toEqual(["imported", "other-project"]);
    const since = new Date(now.getTime() - 1_000);
    expect(of(await bring({ since, dryRun: true })).toSorted()).toEqual(["imported", "older"]);
  });

  it("reports a dry run, and writes nothing", async () => {
    write(["Fix the login."]);
    expect(counts(await bring({ dryRun: true }))).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    expect(fs.existsSync(states())).toBe(false);
    expect((await checkpoints(WORK)).found).toEqual([]);
  });

  it("leaves out sessions without work, and files that are no transcripts", async () => {
    fs.writeFileSync(fileOf("garbage"), "no transcript\n");
    fs.writeFileSync(fileOf("empty"), `{"type":"system","sessionId":"s","cwd":"/","timestamp":"${now.toISOString()}"}\n`);
    const outcomes = await bring();
    expect(outcomes.map((each) => (each.status === "left-out" ? each.why : each.status)).toSorted()).toEqual(["empty", "unknown"]);
  });

  it("names a transcript that cannot be read, and imports the others", async () => {
    write(["Fix the login."]);
    const broken = { host: "claude-code" as const, file: root, sizeBytes: 1, modifiedAt: new Date() };
    const { transcripts } = transcriptsBelow("claude-code", path.join(root, "transcripts"));
    const outcomes = await bring({ transcripts: [broken, ...transcripts] });
    expect(outcomes).toMatchObject([
      { status: "failed", file: root, done: 1, total: 2, error: { code: "INVALID_INPUT" } },
      { status: "imported", done: 2, results: [{ added: 1 }, { added: 1 }] },
    ]);
  });

  it("divides a long conversation, and reads a large transcript in pieces", async () => {
    const long = "word ".repeat(3_000);
    const snapshot = JSON.stringify({ type: "file-history-snapshot", snapshot: "x".repeat(3_700_000) });
    // More than 8 MB of messages, for two parts, in a transcript of more than 32 MB.
    for (let turn = 0; turn < 7; turn++) {
      write(Array.from({ length: 80 }, () => long));
      fs.appendFileSync(fileOf(), `${snapshot}\n`);
    }
    const [outcome] = await bring();
    expect(outcome).toMatchObject({ status: "imported", results: [{ added: 1 }, { added: 1 }, { added: 1 }] });
    const parts = await Promise.all([TALK, `${TALK}-2`].map(async (part) => (await checkpoints(part)).context?.["conversation"]));
    expect(parts.map((part) => (part as unknown[]).length).reduce((sum, each) => sum + each)).toBe(560);
    write(["And the end."]);
    fs.rmSync(states(), { recursive: true });
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [0, 1, 0],
        [1, 0, 0],
      ],
    ]);
    expect((await checkpoints(`${TALK}-2`)).found).toHaveLength(2);
  });

  it("replaces secrets in all that it saves, also where the store would refuse them", async () => {
    const token = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
    env["WORKRAIL_SECRETS"] = "block";
    write([`Use ${token} to push.`, "Done."]);
    expect(counts(await bring())).toEqual([
      [
        [1, 0, 0],
        [1, 0, 0],
      ],
    ]);
    const all = JSON.stringify([await checkpoints(WORK), await checkpoints(TALK)]);
    expect(all).not.toContain(token);
    expect(all).toContain("to push.");
  });

  it("keeps no conversation when the settings turn it off", async () => {
    env["WORKRAIL_HOOK_CONVERSATION"] = "false";
    write(["Fix the login."]);
    expect(counts(await bring())).toEqual([[[1, 0, 0]]]);
    expect((await checkpoints(TALK)).found).toEqual([]);
  });

  it("keeps old sessions: an import counts as an access", async () => {
    now = new Date("2024-01-02T10:00:00Z");
    write(["Fix the login."]);
    await bring();
    const { found } = await checkpoints(WORK);
    expect(found).toMatchObject([{ createdAt: now.toISOString() }]);
    await withStore((store) => store.cleanUp());
    expect((await checkpoints(WORK)).found).toHaveLength(1);
    // Hooks keep no states of older sessions.
    expect(fs.existsSync(states())).toBe(false);
  });

  it.each([
    ["codex", "codex-0.169.0/rollout-0.jsonl"],
    ["gemini", "gemini-0.61.0/session-0.jsonl"],
  ] as const)("understands %s", async (host, fixture) => {
    fs.copyFileSync(path.join(FIXTURES, fixture), path.join(root, "transcripts", path.basename(fixture)));
    const [outcome] = await bring({}, host);
    expect(outcome).toMatchObject({
      status: "imported",
      sessionId: expect.stringMatching(`^${host}-`),
      results: [{ added: 1 }, { added: 1 }],
    });
    expect(counts(await bring({}, host))).toEqual([
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ]);
  });
});

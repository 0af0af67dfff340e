import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWorkrailError } from "@workrail/core";
import { fillLevels, HAS_SMALL_DISK, loseCatalog, SmallDisk, tally } from "@workrail/faults";
import { openWorkrail, sealStore, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "./program.ts";
import { commandsIn } from "./testing/commands-in.ts";
import type { Outcome } from "./testing/outcome.ts";
import { useCli } from "./testing/use-cli.ts";

const PROJECT = "/a/project";
const SEALED = { WORKRAIL_ENCRYPTION_KEY: "0".repeat(64) };

/** Larger than the lower levels of free space, and not compressible. */
const NEW = { goal: "anything", noise: randomBytes(30 * 1024).toString("base64") };
const noise = "x".repeat(3_000);

/** A session without a transcript. */
const SESSION = JSON.stringify({ session_id: "s", cwd: PROJECT, transcript_path: "/none.jsonl" });

interface Call {
  readonly args?: readonly string[];
  readonly input?: string;
  /** Seals the store first. */
  readonly isSealed?: true;
  readonly env?: Readonly<Record<string, string>>;
  /** Checkpoints that are gone after the command. */
  readonly removes?: readonly string[];
  /** Checkpoints that exist after the command. */
  readonly saves?: Readonly<Record<string, object>>;
}

/** Arguments of every command. `DISK`, `BACKUP`, `EXPORTED` and `KEY` stand for paths. */
const CALLS: Readonly<Record<string, readonly Call[]>> = {
  save: [
    { args: ["--session", "shop", "--id", "new"], input: JSON.stringify(NEW), saves: { new: NEW } },
    {
      args: ["--session", "shop", "--id", "new", "--patch", "-"],
      input: '{"set":{"status":"done"}}',
      saves: { new: { step: 3, noise, status: "done" } },
    },
  ],
  load: [{ args: ["cp-3"] }, { args: ["--session", "shop"] }],
  show: [{ args: ["cp-1"] }],
  list: [{}],
  search: [{ args: ["reach"] }],
  resume: [{}, { args: ["--session", "shop"] }],
  handoff: [{ args: ["cp-3"] }],
  sessions: [{}],
  log: [{ args: ["shop"] }],
  diff: [{ args: ["cp-1", "cp-3"] }],
  ui: [{ args: ["--export", "page.html", "--session", "shop"] }, { args: ["--export", "DISK/page.html", "--session", "shop"] }],
  stats: [{}],
  tag: [{ args: ["shop", "urgent"] }],
  pin: [{ args: ["shop", "step"] }],
  unpin: [{ args: ["shop", "noise"] }],
  keep: [{ args: ["shop"] }],
  compress: [{ args: ["--checkpoint", "cp-3", "--budget", "120"] }, { args: ["--budget", "120"], input: JSON.stringify(NEW) }],
  prioritize: [{ args: ["--checkpoint", "cp-3"] }, { args: ["--checkpoint", "cp-3", "--dry-run"] }],
  export: [{ args: ["shop"] }, { args: ["--all", "--output", "DISK/all"] }, { args: ["shop", "--output", "-"] }],
  import: [{ args: ["EXPORTED"], saves: { foreign: { from: "elsewhere" } } }],
  delete: [
    { args: ["cp-1", "--yes"], removes: ["cp-1"] },
    { args: ["cp-2", "--permanently", "--yes"], removes: ["cp-2"] },
    { args: ["--session", "shop", "--permanently", "--yes"], removes: ["cp-0", "cp-1", "cp-2", "cp-3"] },
  ],
  cleanup: [{ args: ["--keep-last", "1", "--yes"], removes: ["cp-0", "cp-1", "cp-2"] }, { args: ["--keep-last", "1", "--dry-run"] }],
  "trash list": [{}],
  "trash restore": [{ args: ["gone"], saves: { trashed: { in: "the trash" } } }],
  "trash empty": [{ args: ["--yes"] }],
  backup: [{ args: ["copy"] }, { args: ["DISK/copy"] }],
  restore: [{ args: ["BACKUP", "--yes"] }],
  copy: [{ args: ["--to", "copy"] }, { args: ["--to", "DISK/copy"] }],
  sync: [{ args: ["--to", "other"] }, { args: ["--to", "DISK/other"] }],
  // Only for a database.
  migrate: [],
  upkeep: [{ args: ["--once"] }],
  status: [{}],
  verify: [{}],
  "audit list": [{}],
  "audit verify": [{}],
  "audit export": [{ args: ["audit.jsonl"] }, { args: ["DISK/audit.jsonl"] }],
  repair: [{}, { args: ["--dry-run"] }],
  rebuild: [{}],
  scan: [{}],
  encrypt: [{ env: SEALED }, { args: ["--off"], isSealed: true }],
  rekey: [
    { args: ["--new-key-file", "KEY"], isSealed: true },
    { args: ["--deep", "--new-key-file", "KEY"], isSealed: true },
  ],
  setup: [{ args: ["claude-code", "--scope", "project", "--dry-run"] }, { args: ["claude-code", "--scope", "project", "--yes"] }],
  hook: [
    { args: ["session-start", "--host", "claude-code"], input: SESSION },
    { args: ["session-end", "--host", "claude-code"], input: SESSION },
  ],
  statusline: [{ input: SESSION }],
  doctor: [{}],
  "config list": [{}],
  "config get": [{ args: ["retentionDays"] }],
  "config set": [{ args: ["retentionDays", "90"] }],
  "config unset": [{ args: ["retentionDays"] }],
  "config path": [{}],
  "config schema": [{}],
  completion: [{ args: ["fish"] }],
};

const CASES = Object.entries(CALLS)
  .flatMap(([command, calls]) => calls.map((call) => [command, call] as const))
  .map(([command, call], index) => [lineOf(command, call), index, command, call] as const);

const cli = useCli();
const folder = mkdtempSync(join(tmpdir(), "workrail-full-"));
const placeOf = (name: string): string => join(folder, name);
/** Checkpoints acknowledged before the disk is full. */
const acknowledged = new Map<string, object>();
let disk: SmallDisk | undefined;

beforeAll(async () => {
  if (!HAS_SMALL_DISK) return;
  mkdirSync(placeOf("disk"));
  writeFileSync(placeOf("key"), "1".repeat(64), { mode: 0o600 });
  disk = SmallDisk.mount(placeOf("disk"));
  for (const name of ["clear", "sealed"]) await prepare(placeOf(name));
  await sealStore({ dataDir: placeOf("sealed"), env: SEALED });
  await withStore(placeOf("clear"), (store) => store.backup(placeOf("backup")));
  await withStore(placeOf("elsewhere"), async (store) => {
    await store.saveCheckpoint({ sessionId: "foreign", checkpointId: "foreign", context: { from: "elsewhere" } });
    await store.exportSession("foreign", { file: placeOf("exported.json") });
  });
});

afterAll(() => {
  disk?.unmount();
  rmSync(folder, { recursive: true, force: true });
});

describe("a full disk whose catalog is lost", () => {
  it("is tested with every command", () => {
    expect(Object.keys(CALLS)).toEqual(commandsIn(buildProgram()));
  });

  it.skipIf(!HAS_SMALL_DISK).for(CASES)(
    "(a small disk of its own; only as root on Linux) either ends it with exit code 15 or does not matter, and loses nothing: workrail %s",
    async ([, index, command, call]) => {
      for (const level of fillLevels(index)) {
        if (disk === undefined) continue;
        const outcome = await runOn(disk, level, { command, ...call });
        const lost = await lossesIn(disk.dataDir, outcome, call);
        const wrong = faultsOf(outcome);
        tally({ tries: 1, acknowledged: outcome.code === 0 ? 1 : 0, lost: lost.length, wrong: wrong.length });
        expect([...wrong, ...lost], `${level} bytes free: ${outcome.stderr}`).toEqual([]);
      }
    },
  );
});

/** Saves sessions with a history, one of them tagged, and one in the trash. */
async function prepare(dataDir: string): Promise<void> {
  await withStore(dataDir, async (store) => {
    const save = async (sessionId: string, checkpointId: string, context: object): Promise<void> => {
      await store.saveCheckpoint({ sessionId, checkpointId, context });
      acknowledged.set(checkpointId, context);
    };
    for (const step of [0, 1, 2, 3]) await save("shop", `cp-${step}`, { step, noise });
    await save("server", "access", { goal: "reach the server", steps: ["log in"] });
    await store.saveCheckpoint({ sessionId: "gone", checkpointId: "trashed", context: { in: "the trash" } });
    await store.markCritical({ sessionId: "shop", contextKey: "noise" });
    await store.cleanUp({ sessionId: "gone" });
  });
}

async function runOn(on: SmallDisk, level: number, call: Call & { readonly command: string }): Promise<Outcome> {
  const { command, args = [], input = "", env, isSealed } = call;
  on.hold(placeOf(isSealed ? "sealed" : "clear"));
  loseCatalog(on.dataDir);
  on.leave(level);
  rmSync(cli.project, { recursive: true });
  mkdirSync(cli.project);
  const places = { DISK: on.directory, BACKUP: placeOf("backup"), EXPORTED: placeOf("exported.json"), KEY: placeOf("key") };
  const there = args.map((arg) => Object.entries(places).reduce((text, [word, place]) => text.replace(word, place), arg));
  const given = { WORKRAIL_DATA_DIR: on.dataDir, WORKRAIL_PROJECT: PROJECT, ...(isSealed && SEALED), ...env };
  const outcome = await cli.run([...command.split(" "), ...there], { input, env: given });
  on.makeRoom();
  return outcome;
}

function faultsOf({ code, stdout, stderr }: Outcome): readonly string[] {
  return [
    ...(code === 0 || code === 15 ? [] : [`ends with ${code}`]),
    // The doctor reports the error among its findings.
    ...(code !== 15 || `${stderr}${stdout}`.includes("STORAGE_UNAVAILABLE") || stdout.includes("ERROR") ? [] : ["does not say why"]),
    ...(/INTERNAL|\n\s+at /u.test(stderr) ? ["is taken for a fault of the program"] : []),
  ];
}

/** Returns acknowledged checkpoints that are missing, and removed ones that exist, once the disk has room. */
async function lossesIn(dataDir: string, { code }: Outcome, { removes = [], saves = {} }: Call): Promise<readonly string[]> {
  const saved = new Map([...acknowledged, ...(code === 0 ? Object.entries(saves) : [])]);
  return withStore(dataDir, async (store) => {
    const losses: string[] = [];
    for (const [id, context] of saved) {
      const found = await contextOf(store, id);
      const isAsSaved = JSON.stringify(found) === JSON.stringify(context);
      const isRemoved = found === undefined && removes.includes(id);
      if (!isRemoved && (!isAsSaved || (code === 0 && removes.includes(id)))) losses.push(`${id} is ${JSON.stringify(found)}`);
    }
    await store.saveCheckpoint({ sessionId: "after", context: { after: "the fault" } });
    return losses;
  });
}

async function contextOf(store: Workrail, checkpointId: string): Promise<object | undefined> {
  try {
    return (await store.loadCheckpoint({ checkpointId })).context;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Opens an unencrypted store, or one sealed under either key. */
async function withStore<T>(dataDir: string, work: (store: Workrail) => Promise<T>): Promise<T> {
  let refused: unknown;
  for (const env of [{}, SEALED, { WORKRAIL_ENCRYPTION_KEY_FILE: placeOf("key") }]) {
    try {
      await using store = await openWorkrail({ dataDir, project: PROJECT, env });
      return await work(store);
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "KEY_UNAVAILABLE") throw error;
      refused = error;
    }
  }
  throw refused;
}

function lineOf(command: string, { args = [], isSealed }: Call): string {
  return `${[command, ...args].join(" ")}${isSealed ? " (sealed)" : ""}`;
}

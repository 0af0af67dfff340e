import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isWorkrailError } from "@workrail/core";
import { fillLevels, HAS_SMALL_DISK, loseCatalog, SmallDisk, tally } from "@workrail/faults";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Fields } from "./testing/contextd.ts";
import { ServerProcess, TestHome } from "./testing/server-process.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const SAVE = "workflow_checkpoint_save";

/** Larger than the lower levels of free space, and not compressible. */
const noise = randomBytes(30 * 1024).toString("base64");
const NEW = { goal: "anything", noise };

interface Call {
  readonly args?: Fields;
  /** Checkpoints that exist once the tool has reported success, or that memory keeps them. */
  readonly saves?: Readonly<Record<string, object>>;
  readonly removes?: string;
}

/** Arguments of every tool. */
const CALLS: Readonly<Record<string, Call>> = {
  [SAVE]: { args: { sessionId: "shop", checkpointId: "new", context: NEW }, saves: { new: NEW } },
  workflow_checkpoint_load: { args: { sessionId: "shop", full: true } },
  workflow_checkpoint_list: { args: { sessionId: "shop" } },
  workflow_resume: { args: { sessionId: "shop" } },
  workflow_context_compress: { args: { context: NEW, budgetTokens: 200 } },
  workflow_context_prioritize: { args: { context: NEW } },
  workflow_mark_critical: { args: { sessionId: "shop", contextKey: "step" } },
  store_session: { args: { conversation: [{ role: "user", content: "why is the disk full?" }] } },
  checkpoint_save: { args: { project_path: tmpdir(), summary: "the disk is full", description: noise.slice(0, 5_000) } },
  checkpoint_search: { args: { query: "reach" } },
  checkpoint_list: {},
  checkpoint_get: { args: { id: "access" } },
  checkpoint_delete: { args: { id: "cp-1" }, removes: "cp-1" },
};

const acknowledged = new Map<string, object>();
let place = "";
let disk: SmallDisk | undefined;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "workrail-full-server-"));
  if (!HAS_SMALL_DISK) return;
  await mkdir(join(place, "disk"));
  disk = SmallDisk.mount(join(place, "disk"));
  await using store = await openWorkrail({ dataDir: join(place, "prepared"), env: {} });
  const save = async (sessionId: string, checkpointId: string, context: object): Promise<void> => {
    await store.saveCheckpoint({ sessionId, checkpointId, context });
    acknowledged.set(checkpointId, context);
  };
  for (const step of [0, 1, 2, 3]) await save("shop", `cp-${step}`, { step, noise: "x".repeat(3_000) });
  await save("server", "access", { goal: "reach the server", steps: ["log in"] });
});

afterAll(async () => {
  disk?.unmount();
  await rm(place, { recursive: true, force: true });
});

/** Time at which the catalog is lost and the disk full. A server with an open store reaches other code than a new one. */
const TIMES = ["before the server starts", "while the server runs"] as const;

describe.each(TIMES)("a full disk whose catalog is lost %s", (when) => {
  const first = TIMES.indexOf(when);
  const calls = Object.entries(CALLS).map(([tool, call], index) => [tool, call, first + index] as const);
  // In the short form, each tool is called at one of the times.
  it.skipIf(!HAS_SMALL_DISK).each(IS_LONG ? calls : calls.filter(([, , index]) => index % 2 === 0))(
    "(a small disk of its own; only as root on Linux) is STORAGE_UNAVAILABLE or does not matter, and loses nothing: %s",
    async (tool, call, index) => {
      for (const level of fillLevels(index)) {
        if (disk === undefined) continue;
        const { faults, saved, removed } = await callOn(disk, { level, when, tool, call });
        const lost = await lossesIn(disk.dataDir, new Map([...acknowledged, ...saved]), removed);
        tally({ tries: 1, acknowledged: saved.size, lost: lost.length, wrong: faults.length });
        expect([...faults, ...lost], `${level} bytes free`).toEqual([]);
      }
    },
  );
});

it("a full disk is tested with every tool", async () => {
  await using server = await ServerProcess.start();
  const { tools } = await server.client.listTools();
  expect(Object.keys(CALLS)).toEqual(tools.map(({ name }) => name));
});

interface Trial {
  readonly level: number;
  readonly when: (typeof TIMES)[number];
  readonly tool: string;
  readonly call: Call;
}

interface Outcome {
  readonly faults: readonly string[];
  /** Checkpoints answered as saved, or as kept until the disk has room; `undefined`: any content. */
  readonly saved: ReadonlyMap<string, object | undefined>;
  readonly removed: readonly string[];
}

/** Calls a tool and saves while the disk is full; then makes room and ends the server. */
async function callOn(on: SmallDisk, { level, when, tool, call }: Trial): Promise<Outcome> {
  on.hold(join(place, "prepared"));
  await using home = await TestHome.create();
  const faults: string[] = [];
  const saved = new Map<string, object | undefined>();
  if (when === "before the server starts") fill(on, level);
  await using server = await ServerProcess.start({ home, env: { WORKRAIL_DATA_DIR: on.dataDir } });
  if (when === "while the server runs") {
    await server.ok("workflow_checkpoint_load", { sessionId: "shop" });
    // Background work after opening the store takes and releases room.
    await vi.waitFor(() => fill(on, level), { timeout: 60_000, interval: 20 });
  }
  const outcome = await server.call(tool, call.args ?? {});
  faults.push(...faultsOf(tool, outcome));
  const named = idIn(outcome);
  if (named !== undefined) saved.set(named, undefined);
  if (isDone(outcome)) for (const [id, context] of Object.entries(call.saves ?? {})) saved.set(id, context);
  faults.push(...(await faultsOfStatus(server)));
  const after = { goal: "go on", tool };
  const second = await server.call(SAVE, { sessionId: "other", checkpointId: "after", context: after });
  faults.push(...faultsOf(SAVE, second));
  if (isDone(second)) saved.set("after", after);
  else faults.push("a save is neither on the disk nor in memory");
  on.makeRoom();
  const back = { goal: "back" };
  const third = await server.call(SAVE, { sessionId: "other", checkpointId: "back", context: back });
  if (third.isError === true) faults.push(`with room again: ${textOf(third)}`);
  else saved.set("back", back);
  const unexpected = server.log.filter(({ level: at, msg }) => at === "error" && !String(msg).includes("the store is not writable"));
  faults.push(...unexpected.map((line) => JSON.stringify(line)));
  return { faults, saved, removed: call.removes !== undefined && outcome.isError !== true ? [call.removes] : [] };
}

function fill(on: SmallDisk, level: number): void {
  on.makeRoom();
  loseCatalog(on.dataDir);
  on.leave(level);
}

/** True when the save is on disk, or in memory until the disk has room. */
function isDone(result: CallToolResult): boolean {
  return result.isError !== true || (result._meta?.["details"] as Fields | undefined)?.["retained"] === "memory";
}

/** Returns the checkpoint that an answer names. */
function idIn({ structuredContent = {}, _meta }: CallToolResult): string | undefined {
  const { checkpointId, checkpoint_id: contextds = checkpointId } = structuredContent;
  const { retained, checkpointId: kept } = (_meta?.["details"] ?? {}) as Fields;
  const id = retained === "memory" ? kept : contextds;
  return typeof id === "string" ? id : undefined;
}

async function faultsOfStatus({ client }: ServerProcess): Promise<readonly string[]> {
  try {
    await client.readResource({ uri: "workrail://status" });
    return [];
  } catch (error) {
    const { data } = error as { readonly data?: { readonly code?: string } };
    return data?.code === "STORAGE_UNAVAILABLE" ? [] : [`the status: ${String(error)}`];
  }
}

function faultsOf(tool: string, result: CallToolResult): readonly string[] {
  if (result.isError !== true) return [];
  const { code, details } = result._meta as { readonly code: string; readonly details: Fields };
  // contextd has one code for every error that is not the caller's fault; the details name our code.
  const told = code === "INTERNAL_ERROR" ? details["error"] : code;
  return told === "STORAGE_UNAVAILABLE" ? [] : [`${tool}: ${textOf(result)}`];
}

function textOf(result: CallToolResult): string {
  const [block] = result.content;
  return block?.type === "text" ? block.text : "";
}

/** Returns acknowledged checkpoints that are missing, and removed ones that exist, at the next opening of the store. */
async function lossesIn(
  dataDir: string,
  saved: ReadonlyMap<string, object | undefined>,
  removed: readonly string[],
): Promise<readonly string[]> {
  await using store = await openWorkrail({ dataDir, env: {} });
  const losses: string[] = [];
  for (const [id, context] of saved) {
    const found = await contextOf(store, id);
    const isAsSaved = found !== undefined && (context === undefined || JSON.stringify(found) === JSON.stringify(context));
    if (removed.includes(id) ? found !== undefined : !isAsSaved) losses.push(`${id} is ${JSON.stringify(found)?.slice(0, 100)}`);
  }
  return losses;
}

async function contextOf(store: Workrail, checkpointId: string): Promise<object | undefined> {
  try {
    return (await store.loadCheckpoint({ checkpointId })).context;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_NOT_FOUND") return undefined;
    throw error;
  }
}

import fs from "node:fs";
import path from "node:path";
import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { ScaleStore, ScaleTimings } from "../tasks/compare-scale.ts";
import { KB } from "./library.ts";

export interface ScaleResult {
  readonly stores: readonly FilledStore[];
  /** In the order of the stores. */
  readonly timings: readonly ScaleTimings[];
}

interface FilledStore extends ScaleStore {
  readonly checkpoints: number;
  /** Size of `workrail.db`. */
  readonly catalogBytes: number;
  /** Milliseconds to write all files and build the catalog from them. */
  readonly fillMs: number;
}

const SIZES = [100, 10_000, 100_000];
const IN_A_SESSION = 50;
/** Sessions that grow at the same time, so that their checkpoints are mixed in the catalog. */
const AT_A_TIME = 10;
/** Number of projects that the sessions of a large store belong to in turn. */
const PROJECTS = 20;

/** Measures the same work in a small, a medium and a large store. */
export async function measureScale(bench: Bench): Promise<ScaleResult> {
  const stores: FilledStore[] = [];
  for (const size of bench.quick ? SIZES.slice(0, 2) : SIZES) stores.push(await fill(bench, size));
  bench.say("scale: the same in each");
  const timings = await runWorker("compareScale", { stores, openings: bench.quick ? 10 : 30, calls: bench.quick ? 50 : 200, bytes: KB });
  return { stores, timings };
}

async function fill(bench: Bench, checkpoints: number): Promise<FilledStore> {
  bench.say(`scale: making a store of ${checkpoints} checkpoints`);
  const dataDir = bench.fresh(`scale-${checkpoints}`);
  const sessions = checkpoints / IN_A_SESSION;
  const projects = Array.from({ length: Math.min(PROJECTS, sessions) }, (_, index) => `/home/dev/project-${index}`);
  const started = performance.now();
  await runWorker("fillStore", { dataDir, sessions, checkpoints: IN_A_SESSION, bytes: KB, atATime: AT_A_TIME, projects });
  const fillMs = performance.now() - started;
  const catalogBytes = fs.statSync(path.join(dataDir, "workrail.db")).size;
  return { dataDir, sessions, project: projects[0] as string, checkpoints, catalogBytes, fillMs };
}

import type { Comparison } from "../alternate.ts";
import { type Bench, LARGE_SESSION } from "../bench.ts";
import { runWorker } from "../run-worker.ts";

export const KB = 1_000;
export const MB = 1_000_000;

export interface LibraryRow extends Comparison {
  readonly operation: "save" | "load latest" | "load by id" | "load an older one by id";
  readonly contextBytes: number;
  /** Number in the session, and in the store. */
  readonly checkpoints: number;
  /** The session is at its limit: each save also removes its oldest checkpoint. */
  readonly atLimit: boolean;
}

const SIZES = [KB, 100 * KB, MB, 10 * MB];
const FEW = 100;
const MANY = 10_000;

/** Measures saves and loads through the library: contexts of four sizes, among few checkpoints and among many. */
export async function measureLibrary(bench: Bench): Promise<readonly LibraryRow[]> {
  const rows: LibraryRow[] = [];
  for (const bytes of bench.quick ? SIZES.slice(0, 3) : SIZES) {
    bench.say(`library: ${label(bytes)}, ${FEW} checkpoints`);
    rows.push(...(await measure(bench, bytes, { checkpoints: FEW, dataDir: bench.fresh("few"), fill: FEW, atLimit: false })));
  }
  bench.say(`library: ${label(KB)}, in a session at its limit`);
  rows.push(...(await measure(bench, KB, { checkpoints: FEW, dataDir: bench.fresh("limit"), fill: FEW, atLimit: true })));
  const { dataDir } = await bench.largeStore();
  for (const bytes of bench.quick ? SIZES.slice(0, 2) : SIZES) {
    bench.say(`library: ${label(bytes)}, ${MANY} checkpoints`);
    rows.push(...(await measure(bench, bytes, { checkpoints: MANY, dataDir, fill: 0, atLimit: false })));
  }
  return rows;
}

interface Where {
  readonly dataDir: string;
  readonly checkpoints: number;
  readonly fill: number;
  readonly atLimit: boolean;
}

async function measure(bench: Bench, bytes: number, { dataDir, checkpoints, fill, atLimit }: Where): Promise<LibraryRow[]> {
  const result = await runWorker("compareLibrary", {
    dataDir,
    bareDir: bench.fresh("bare"),
    sessionId: LARGE_SESSION,
    bytes,
    fill,
    ...(atLimit ? { maxCheckpoints: FEW } : {}),
    effort: bench.effort(atLimit ? 0.15 : 1),
  });
  const about = { contextBytes: bytes, checkpoints, atLimit };
  const saved: LibraryRow = { operation: "save", ...about, ...result.save };
  if (atLimit) return [saved];
  return [
    saved,
    { operation: "load latest", ...about, ...result.loadLatest },
    { operation: "load by id", ...about, ...result.loadById },
    { operation: "load an older one by id", ...about, ...result.loadOlder },
  ];
}

/** Formats a size, such as `100 KB`. */
export function label(bytes: number): string {
  return bytes >= MB ? `${bytes / MB} MB` : `${bytes / KB} KB`;
}

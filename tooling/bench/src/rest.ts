import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the library waits for a pause before it begins with work that no answer needs: to compact, and then to index. */
const PAUSE_MS = 1_200;
const LOOK_MS = 50;
/** A process that takes no more than this has nothing left to do. */
const QUIET_SHARE = 0.1;
const LONGEST_MS = 60_000;

/** What this process has computed so far, in milliseconds. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Leaves time for what is done after answers, compaction and indexing above all, as an agent does that thinks between its saves. */
export async function untilQuiet(cpuMs: () => number = ownCpuMs): Promise<void> {
  await sleep(PAUSE_MS);
  const deadline = performance.now() + LONGEST_MS;
  for (let before = cpuMs(); performance.now() < deadline;) {
    await sleep(LOOK_MS);
    const after = cpuMs();
    if (after - before <= LOOK_MS * QUIET_SHARE) return;
    before = after;
  }
}

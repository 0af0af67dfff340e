import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the pause after which the library starts background work: compaction, then indexing. */
const PAUSE_MS = 1_200;
const LOOK_MS = 50;
/** Share of processor time below which a process counts as idle. */
const QUIET_SHARE = 0.1;
const LONGEST_MS = 60_000;

/** Returns the processor time of this process so far, in milliseconds. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Waits for background work, mainly compaction and indexing, as an agent does that thinks between its saves. */
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

import { type HostActivity, readHookActivity, readPendingSaves } from "../hooks/hook-activity.ts";
import type { DoctorFinding } from "./finding.ts";

const check = "hooks";

/** Reports when the hooks of each host ran last, how long they took, and how they failed. */
export function checkHooks(dataDir: string): readonly DoctorFinding[] {
  const hosts = readHookActivity(dataDir);
  if (hosts.length === 0) return [{ check, status: "ok", message: "No hook of a coding agent has run yet." }];
  return hosts.map(findingOn);
}

function findingOn({ host, events, lastFailure }: HostActivity): DoctorFinding {
  const runs = events.map(({ event, lastAt, medianMs, worstMs }) => `${event} ${lastAt} (${medianMs} ms, at worst ${worstMs} ms)`);
  const failure = lastFailure === undefined ? "" : ` Last failure: ${lastFailure.event} ${lastFailure.at}, ${lastFailure.error}`;
  const about = { check, host, message: `${host}, last runs: ${runs.join(", ")}.${failure}` } as const;
  if (!events.some(({ isFailing }) => isFailing)) return { ...about, status: "ok" };
  return { ...about, status: "warning", hint: "The next start of a session saves the work that a failed hook missed." };
}

/** Reports the incoming saves that wait for the store, and those that the store refused. */
export function checkIncoming(dataDir: string): DoctorFinding {
  const { waiting, waitingBytes, isFull, folder, refused, refusedFolder, lastReason } = readPendingSaves(dataDir);
  const waits = waiting === 0 ? "No saves of hooks wait for the store." : `Saves of hooks that wait for the store: ${waiting}.`;
  if (refused > 0) {
    const reason = lastReason === undefined ? "" : ` Last reason: ${lastReason}`;
    const message = `${waits} Saves that the store refused: ${refused}, in ${refusedFolder}.${reason}`;
    const hint = `Fix the cause, such as a limit, and move the JSON files to ${folder}, or remove them.`;
    return { check: "incoming", status: "warning", message, hint };
  }
  if (waiting === 0) return { check: "incoming", status: "ok", message: waits };
  const hint = "`workrail status` opens the store and saves them, or reports why that fails.";
  const full = isFull ? ` They take ${Math.ceil(waitingBytes / 1_048_576)} MiB: hooks stop saving until the store takes them in.` : "";
  return { check: "incoming", status: isFull ? "warning" : "ok", message: `${waits}${full}`, hint };
}

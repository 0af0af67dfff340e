import { type CleanUpProgress, type CleanUpReport, WorkrailError } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import { describeCleanUp } from "./describe-clean-up.ts";
import { noteSessions, type SessionNote } from "./note-sessions.ts";
import { note, outputWidth, writeData, writeJson, writeMessage } from "./print.ts";
import { countingByPhase, showingProgress } from "./show-progress.ts";
import { type GlobalOptions, lookIntoStore, withStore } from "./with-store.ts";

/** Options of every command that removes something. */
export interface RemovalOptions extends GlobalOptions {
  readonly yes?: true;
}

/** Options of a removal: a dry run, or a progress callback. */
export interface RemovalRun {
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: CleanUpProgress) => void) | undefined;
}

/** Exit code when the person declined, so that scripts do not assume a removal. */
const DECLINED = 1;

const PROGRESS = countingByPhase({ move: "Checkpoints removed:", remove: "Files removed:" });

/** Tells whether a report is empty, and describes it. */
export interface RemovalKind<R> {
  isNothing(report: R): boolean;
  describe(report: R, width: number): string;
}

/** Shows what would be removed, asks, and removes it. Without a terminal to ask at, `--yes` is required. */
export function removeAfterAsking(
  options: RemovalOptions,
  remove: (store: Workrail, run: RemovalRun) => Promise<CleanUpReport>,
): Promise<void> {
  const sessions = new Map<string, SessionNote>();
  return doAfterAsking(
    options,
    async (store, run) => {
      // After the removal the store no longer knows names and ages.
      if (options.json !== true) await noteSessions(store, await remove(store, { dryRun: true }), sessions);
      return remove(store, run);
    },
    { isNothing: ({ removed }) => removed.length === 0, describe: (report, width) => describeCleanUp(report, sessions, width) },
  );
}

/** Runs any kind of removal after asking. */
export async function doAfterAsking<R extends object>(
  options: RemovalOptions,
  remove: (store: Workrail, run: RemovalRun) => Promise<R>,
  kind: RemovalKind<R>,
): Promise<void> {
  const print = (report: R): Promise<void> => (options.json ? writeJson(report) : writeData(kind.describe(report, outputWidth())));
  const mustAsk = options.dryRun !== true && options.yes !== true;
  if (options.dryRun === true || mustAsk) {
    const planned = await lookIntoStore(options, (store) => remove(store, { dryRun: true }));
    if (options.dryRun === true) return print(planned);
    // Not earlier: a wrong checkpoint id must be reported first.
    if (!process.stdin.isTTY) throw nobodyToAsk();
    // Shown on the terminal with the question, even if standard output is redirected.
    writeMessage(kind.describe(planned, outputWidth()));
    const isNothing = kind.isNothing(planned);
    if (isNothing || !(await confirm("Continue?", process.stdin, process.stderr))) {
      if (!isNothing) process.exitCode = DECLINED;
      return note("Nothing was removed.");
    }
  }
  const removed = await withStore(options, (store) =>
    showingProgress(PROGRESS, (onProgress) => remove(store, { dryRun: false, onProgress })),
  );
  await print(removed);
}

/** Resolves to `true` only for an explicit yes. */
export async function confirm(question: string, input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<boolean> {
  const { createInterface } = await import("node:readline");
  const prompt = createInterface({ input, output });
  return new Promise((resolve) => {
    // While it reads keys, the prompt gets Ctrl-C instead of the process, which must end by the signal.
    prompt.once("SIGINT", () => {
      prompt.close();
      process.kill(process.pid, "SIGINT");
    });
    // End of input counts as no.
    prompt.once("close", () => resolve(false));
    prompt.question(`${question} [y/N] `, (answer) => {
      resolve(/^\s*y(es)?\s*$/iu.test(answer));
      prompt.close();
    });
  });
}

function nobodyToAsk(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "This removes checkpoints, and there is no terminal to ask for confirmation.", {
    hint: "Add --yes, or see the effects with --dry-run.",
  });
}

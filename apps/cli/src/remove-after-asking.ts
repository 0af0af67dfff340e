import { type CleanUpProgress, type CleanUpReport, WorkrailError } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import { describeCleanUp } from "./describe-clean-up.ts";
import { noteSessions, type SessionNote } from "./note-sessions.ts";
import { note, outputWidth, writeData, writeJson, writeMessage } from "./print.ts";
import { countingByPhase, showingProgress } from "./show-progress.ts";
import { type GlobalOptions, lookIntoStore, withStore } from "./with-store.ts";

/** The options of every command that removes something. */
export interface RemovalOptions extends GlobalOptions {
  readonly yes?: true;
}

/** Whether it is only to be told what would be removed; else who wants to know how far it is. */
export interface RemovalHow {
  readonly dryRun: boolean;
  readonly onProgress?: ((progress: CleanUpProgress) => void) | undefined;
}

/** A script should not take for removed what somebody wanted to stay. */
const DECLINED = 1;

const PROGRESS = countingByPhase({ move: "Checkpoints removed:", remove: "Files removed:" });

/** What was removed, or with `dryRun` would be, and how that is told. */
export interface RemovalKind<R> {
  isNothing(report: R): boolean;
  describe(report: R, width: number): string;
}

/** Says what would be removed, asks, and removes it. Where nobody can be asked it takes `--yes`. */
export function removeAfterAsking(
  options: RemovalOptions,
  remove: (store: Workrail, how: RemovalHow) => Promise<CleanUpReport>,
): Promise<void> {
  const sessions = new Map<string, SessionNote>();
  return doAfterAsking(
    options,
    async (store, how) => {
      // Afterwards the store knows neither name nor age of what is gone.
      if (options.json !== true) await noteSessions(store, await remove(store, { dryRun: true }), sessions);
      return remove(store, how);
    },
    { isNothing: ({ removed }) => removed.length === 0, describe: (report, width) => describeCleanUp(report, sessions, width) },
  );
}

/** The same of any way to remove something. */
export async function doAfterAsking<R extends object>(
  options: RemovalOptions,
  remove: (store: Workrail, how: RemovalHow) => Promise<R>,
  kind: RemovalKind<R>,
): Promise<void> {
  const print = (report: R): Promise<void> => (options.json ? writeJson(report) : writeData(kind.describe(report, outputWidth())));
  const mustAsk = options.dryRun !== true && options.yes !== true;
  if (options.dryRun === true || mustAsk) {
    const planned = await lookIntoStore(options, (store) => remove(store, { dryRun: true }));
    if (options.dryRun === true) return print(planned);
    // Only now: whoever names a checkpoint that is not there is told that.
    if (!process.stdin.isTTY) throw nobodyToAsk();
    // On a terminal, beside the question, whatever standard output is for.
    writeMessage(kind.describe(planned, outputWidth()));
    const isNothing = kind.isNothing(planned);
    if (isNothing || !(await confirm("Go on?", process.stdin, process.stderr))) {
      if (!isNothing) process.exitCode = DECLINED;
      return note("Nothing was removed.");
    }
  }
  const removed = await withStore(options, (store) =>
    showingProgress(PROGRESS, (onProgress) => remove(store, { dryRun: false, onProgress })),
  );
  await print(removed);
}

/** Resolves with `true` only for a plain yes. */
export async function confirm(question: string, input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<boolean> {
  const { createInterface } = await import("node:readline");
  const prompt = createInterface({ input, output });
  return new Promise((resolve) => {
    // Reading keys, it hears of Ctrl-C in the place of the process, which is to end by it.
    prompt.once("SIGINT", () => {
      prompt.close();
      process.kill(process.pid, "SIGINT");
    });
    // At the end of the input nobody said yes.
    prompt.once("close", () => resolve(false));
    prompt.question(`${question} [y/N] `, (answer) => {
      resolve(/^\s*y(es)?\s*$/iu.test(answer));
      prompt.close();
    });
  });
}

function nobodyToAsk(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "This removes checkpoints, and there is nobody to ask whether it should.", {
    hint: "Add --yes, or see with --dry-run what would go.",
  });
}

import { type CleanUpReport, WorkrailError } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import { describeCleanUp } from "./describe-clean-up.ts";
import { note, outputWidth, writeData, writeJson } from "./print.ts";
import { type GlobalOptions, withStore } from "./with-store.ts";

/** The options of every command that removes something. */
export interface RemovalOptions extends GlobalOptions {
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Says what would be removed, asks, and removes it. Where nobody can be asked it takes `--yes`. */
export async function removeAfterAsking(
  options: RemovalOptions,
  remove: (store: Workrail, dryRun: boolean) => Promise<CleanUpReport>,
): Promise<void> {
  const mustAsk = options.dryRun !== true && options.yes !== true;
  if (mustAsk && !process.stdin.isTTY) throw nobodyToAsk();
  if (options.dryRun === true || mustAsk) {
    const planned = await withStore(options, (store) => remove(store, true));
    if (options.dryRun === true) return print(planned, options);
    await writePlan(planned);
    if (planned.removed.length === 0 || !(await confirm("Go on?", process.stdin, process.stderr))) return note("Nothing was removed.");
  }
  await print(await withStore(options, (store) => remove(store, false)), options);
}

/** Resolves with `true` only for a plain yes. */
export async function confirm(question: string, input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<boolean> {
  const { createInterface } = await import("node:readline");
  const prompt = createInterface({ input, output });
  return new Promise((resolve) => {
    // At the end of the input, or on Ctrl-C, nobody said yes.
    prompt.once("close", () => resolve(false));
    prompt.question(`${question} [y/N] `, (answer) => {
      resolve(/^\s*y(es)?\s*$/iu.test(answer));
      prompt.close();
    });
  });
}

function print(report: CleanUpReport, { json }: GlobalOptions): Promise<void> {
  return json ? writeJson(report) : writeData(describeCleanUp(report, outputWidth()));
}

/** On a terminal, beside the question, whatever standard output is for. */
async function writePlan(report: CleanUpReport): Promise<void> {
  process.stderr.write(describeCleanUp(report, outputWidth()));
}

function nobodyToAsk(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "This removes checkpoints, and there is nobody to ask whether it should.", {
    hint: "Add --yes, or see with --dry-run what would go.",
  });
}

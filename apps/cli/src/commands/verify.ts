import type { VerifyReport } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import type { Command } from "commander";
import { EXIT_CODES } from "../exit-codes.ts";
import { writeData, writeJson } from "../print.ts";
import { describeFindings } from "../describe-findings.ts";
import { showingProgress } from "../show-progress.ts";
import { INTERRUPTED, untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, lookIntoStore } from "../with-store.ts";

const EXAMPLES = `
Example:
  workrail verify
`;

/** `workrail verify`: reads everything and reports damage. */
export function addVerifyCommand(program: Command): void {
  program
    .command("verify")
    .summary("read the whole store and report faults")
    .description("Reads every checkpoint, verifies it against its digests, and reports faults. Changes nothing; the store may be in use.")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: GlobalOptions, command: Command) => verify(command.optsWithGlobals()));
}

async function verify(options: GlobalOptions): Promise<void> {
  const report = await untilInterrupted((signal) =>
    lookIntoStore(options, (store) => showingProgress("Checkpoints read:", (onProgress) => store.verifyStore({ signal, onProgress }))),
  );
  if (!report.isComplete) process.exitCode = INTERRUPTED;
  if (report.findings.length > 0) process.exitCode = EXIT_CODES.CHECKPOINT_CORRUPT;
  await (options.json ? writeJson(report) : writeData(forPeople(report)));
}

function forPeople({ checkpoints, sessions, orphans, findings, isComplete }: VerifyReport): string {
  const lines = [
    `Checkpoints read: ${checkpoints}, in sessions: ${sessions}.`,
    ...(orphans.length === 0 ? [] : [`Files without a checkpoint: ${orphans.length}.`]),
    ...(findings.length === 0
      ? []
      : [`Faults: ${findings.length}.`, ...describeFindings(findings), inOwnName("`workrail repair` corrects what it can.")]),
    ...(findings.length === 0 && isComplete ? ["Nothing is wrong."] : []),
    ...(isComplete ? [] : ["Interrupted: not all checkpoints were read."]),
  ];
  return `${lines.join("\n")}\n`;
}

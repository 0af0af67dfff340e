import { statusLine } from "@workrail/runtime/hooks";
import { readInput, writeOutput } from "./read-input.ts";

/** Runs `workrail statusline`: prints one line and always exits with 0, because a host shows the output many times a minute. */
async function main(): Promise<void> {
  writeOutput(`${await line()}\n`);
  // Standard input may still be open.
  process.exit();
}

async function line(): Promise<string> {
  try {
    return await statusLine(await readInput(), { env: process.env, now: () => new Date(), cwd: process.cwd() });
  } catch (error) {
    return `workrail: the state cannot be read (${(error as NodeJS.ErrnoException).code ?? "INTERNAL"})`;
  }
}

void main();

import { script } from "@bomb.sh/tab";
import describeTo from "@bomb.sh/tab/commander";
import type { Command } from "commander";

/** The script that asks the program for completions: it must be found by its name. */
export function scriptFor(shell: string, name: string): string {
  return written(() => script(shell, name, name));
}

/** Answers such a script: `words` are what stands on the command line after the program's name, the last of them unfinished. */
export function completions(program: Command, words: readonly string[]): string {
  return written(() => describeTo(program).parse([...words]));
}

/** The library writes by itself. */
function written(work: () => void): string {
  const lines: string[] = [];
  const log = console.log;
  console.log = (line: unknown) => lines.push(String(line));
  try {
    work();
  } finally {
    console.log = log;
  }
  return lines.map((line) => `${line}\n`).join("");
}

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

/** Returns the version of an installed package. */
export function versionOf(packageName: string): string {
  return manifestOf(packageName).version;
}

/** Returns the directory of an installed package. */
export function folderOf(packageName: string): string {
  return dirname(manifestPath(packageName));
}

/** Returns the environment of a program with a home directory of its own. */
export function environmentIn(home: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, USERPROFILE: home };
}

/** Runs a program of an installed package to its end, with a home directory of its own. Never rejects for a failing program. */
export async function runProgram(
  { packageName, program, home }: { readonly packageName: string; readonly program: string; readonly home: string },
  args: readonly string[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const file = join(folderOf(packageName), manifestOf(packageName).bin[program] ?? program);
  const child = spawn(process.execPath, [file, ...args], { env: environmentIn(home), cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code: code ?? 1, stdout, stderr };
}

function manifestOf(packageName: string): Manifest {
  return JSON.parse(readFileSync(manifestPath(packageName), "utf8")) as Manifest;
}

function manifestPath(packageName: string): string {
  const found = findPackageJSON(packageName, import.meta.url);
  if (found === undefined) throw new Error(`${packageName} is not installed.`);
  return found;
}

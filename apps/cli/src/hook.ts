import fs from "node:fs";
import os from "node:os";
import {
  HOOK_EVENTS,
  HOOK_HOSTS,
  type HookEvent,
  type HookHost,
  type HookPorts,
  hookSettings,
  logOverdue,
  runHook,
} from "@workrail/runtime/hooks";
import { isTerminal, readInput, writeOutput } from "./read-input.ts";

/** The host waits for a hook, so the hook ends after this time. A sealed store gets more time, because its key takes long to derive. */
const DEADLINE_MS = 1_000;
const SEALED_DEADLINE_MS = 2_500;

const USAGE = `Usage: workrail hook <${HOOK_EVENTS.join("|")}> [--host <${HOOK_HOSTS.join("|")}>] [--strict]

A coding agent runs it with JSON on standard input; workrail setup installs it.
`;

/** Runs `workrail hook`, which fails open: it exits with 0, and the next start of a session reports the failure. With `--strict` a failure exits with 1. */
async function main(args: readonly string[]): Promise<void> {
  const begun = performance.now();
  const [event, ...options] = args;
  const isStrict = options.includes("--strict");
  if (!isEvent(event)) {
    fs.writeSync(2, USAGE);
    process.exitCode = isStrict || isTerminal() ? 1 : 0;
    return;
  }
  const host = hostIn(options);
  const settings = hookSettings(process.env);
  const deadlineMs = settings.isSealed ? SEALED_DEADLINE_MS : DEADLINE_MS;
  const ports: HookPorts = {
    env: process.env,
    settings,
    home: os.homedir(),
    now: () => new Date(),
    msLeft: () => deadlineMs - (performance.now() - begun),
    saveNow: async (saves) => {
      // The compiler does not know the file: the bundler puts it beside this one.
      const taking = (await import(new URL("./take-in.mjs", import.meta.url).href)) as { readonly saveNow: HookPorts["saveNow"] };
      await taking.saveNow(saves);
    },
  };
  const deadline = setTimeout(() => {
    logOverdue({ event, host, ms: deadlineMs, error: `it took longer than ${deadlineMs} ms` }, ports);
    process.exit(isStrict ? 1 : 0);
  }, deadlineMs);
  const { output, error } = await runHook(event, { host, input: await readInput() }, ports);
  clearTimeout(deadline);
  if (isStrict && error instanceof Error) fs.writeSync(2, `${error.message}\n`);
  process.exitCode = error !== undefined && isStrict ? 1 : 0;
  writeOutput(output);
  // Standard input may still be open.
  process.exit();
}

function isEvent(text: string | undefined): text is HookEvent {
  return HOOK_EVENTS.some((event) => event === text);
}

function hostIn(options: readonly string[]): HookHost | undefined {
  const given = options.find((option) => option.startsWith("--host="))?.slice("--host=".length) ?? options[options.indexOf("--host") + 1];
  return HOOK_HOSTS.find((host) => host === given);
}

process.umask(0o077);
void main(process.argv.slice(3));

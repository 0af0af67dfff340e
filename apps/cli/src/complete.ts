import { canBeIn, SETTING_NAMES, SETTINGS } from "@workrail/runtime/settings";
import describeTo from "@bomb.sh/tab/commander";
import type { Command } from "commander";

type Offers = ReturnType<typeof describeTo>;

/** Returns completions for the shell scripts. `words` is the command line after the program's name; its last word is unfinished. */
export function completions(program: Command, words: readonly string[]): string {
  const before = words.slice(0, -1);
  const last = (words.at(-1) ?? "").trim();
  useShortDescriptions(program);
  const offers = describeTo(program);
  addGlobalOptions(offers, program);
  addSettings(offers, before.at(-1));
  return written(() => offers.parse([...before, last]));
}

/** Replaces descriptions by summaries, since a list of completions has little room. */
function useShortDescriptions(command: Command): void {
  for (const each of command.commands) {
    each.description(each.summary());
    useShortDescriptions(each);
  }
}

/** Adds the global options to each command: the library offers a command only its own options. */
function addGlobalOptions(offers: Offers, program: Command): void {
  for (const { long, description, required, hidden } of program.options) {
    const name = long?.slice("--".length);
    if (name === undefined || hidden) continue;
    for (const command of offers.commands.values()) {
      if (required) command.option(name, description, nothing);
      else command.option(name, description);
    }
  }
}

/** @param before the word before the unfinished one; for a value, the name of the setting. */
function addSettings(offers: Offers, before: string | undefined): void {
  for (const action of ["get", "set", "unset"]) {
    const name = offers.commands.get(`config ${action}`)?.arguments.get("setting");
    const settings = SETTING_NAMES.filter((each) => action === "get" || canBeIn(each, "file"));
    if (name !== undefined) name.handler = (offer) => settings.forEach((each) => offer(each, ""));
  }
  const value = offers.commands.get("config set")?.arguments.get("value");
  if (value !== undefined) value.handler = (offer) => valuesOf(before).forEach((each) => offer(each, ""));
}

function valuesOf(setting: string | undefined): readonly string[] {
  const name = SETTING_NAMES.find((each) => each === setting);
  if (name === undefined) return [];
  const { type } = SETTINGS[name];
  return type.kind === "choice" ? type.choices : type.kind === "flag" ? ["true", "false"] : [];
}

/** Captures the output of the library, which prints by itself. */
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

/** Handler of an option whose values are unknown. */
function nothing(): void {}

import { escapeText } from "@workrail/process";
import { migrateStore } from "@workrail/runtime";
import type { Command } from "commander";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import type { GlobalOptions } from "../with-store.ts";

const EXAMPLES = `
Examples:
  WORKRAIL_STORE=postgres://workrail:secret@db.example/workrail workrail migrate
`;

/** `workrail migrate`: makes or updates the tables of a store's database, and prints its URL without the password. */
export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .summary("create or update the tables of a database")
    .description(
      "Creates the tables of a store in a PostgreSQL database, or updates them to this version. Needs the URL of the database itself, not of a transaction pooler.",
    )
    .addHelpText("after", EXAMPLES)
    .action(async (_options: GlobalOptions, command: Command) => migrate(command.optsWithGlobals()));
}

async function migrate(options: GlobalOptions): Promise<void> {
  const result = await migrateStore({ args: settingArgs(options) });
  if (options.json) return writeJson(result);
  note(result.applied.length === 0 ? "The tables were up to date." : `Applied: ${result.applied.join(", ")}.`);
  await writeData(`${escapeText(result.store)}\n`);
}

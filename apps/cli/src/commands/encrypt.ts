import type { SealResult } from "@workrail/runtime";
import type { Command } from "commander";
import { escapeText } from "../escape-text.ts";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { type GlobalOptions, warningsOnly } from "../with-store.ts";

interface EncryptOptions extends GlobalOptions {
  readonly off?: true;
}

interface RekeyOptions extends GlobalOptions {
  readonly newKeyFile?: string;
  readonly newPassphraseFile?: string;
}

const EXAMPLES = `
Examples:
  workrail encrypt
  workrail encrypt --encryption-key-file ~/keys/workrail
  workrail encrypt --off
`;

/** `workrail encrypt`: seals a store, or opens it again, and prints where it is. */
export function addEncryptCommand(program: Command): void {
  program
    .command("encrypt")
    .summary("seal the store, or open it again")
    .description(
      "Seals all that the store keeps, under a key in the keychain or where the settings say. Shows a recovery key once. Nothing else may have the store open; interrupted, it is finished by the next command.",
    )
    .option("--off", "have the store in clear again")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: EncryptOptions, command: Command) => encrypt(command.optsWithGlobals()));
}

const REKEY_EXAMPLES = `
Examples:
  workrail rekey
  workrail rekey --new-key-file ~/keys/new
`;

/** `workrail rekey`: has a sealed store hang on another key. */
export function addRekeyCommand(program: Command): void {
  program
    .command("rekey")
    .summary("give a sealed store another key")
    .description(
      "Makes a new key in the keychain, or takes the one that is named, and shows a new recovery key once. The old ones open nothing any more. Nothing else may have the store open.",
    )
    .option("--new-key-file <path>", "file that holds the new key: 32 bytes in base64 or hexadecimal", parsePath)
    .option("--new-passphrase-file <path>", "file whose first line is the new passphrase", parsePath)
    .addHelpText("after", REKEY_EXAMPLES)
    .action(async (_options: RekeyOptions, command: Command) => rekey(command.optsWithGlobals()));
}

async function encrypt(options: EncryptOptions): Promise<void> {
  const { sealStore, unsealStore } = await import("@workrail/runtime");
  const given = { args: settingArgs(options), adapters: { log: warningsOnly(options.json === true) } };
  const result = options.off === true ? await unsealStore(given) : await sealStore(given);
  await (options.json ? writeJson(result) : tell(result, options.off === true));
}

async function tell({ dataDir, blobs, recoveryKey, stillInClear, unreadable }: SealResult, isOff: boolean): Promise<void> {
  note(isOff ? `Opened: ${blobs}. The store is in clear.` : `Sealed: ${blobs}. The store is sealed.`);
  tellRecoveryKey(recoveryKey);
  if (stillInClear.length > 0) note("These files are in clear; remove them when you do not need them:");
  for (const place of stillInClear) note(`  ${escapeText(place)}`);
  if (unreadable.length > 0) note("These could not be opened, and stay sealed, with the store's keys:");
  for (const place of unreadable) note(`  ${escapeText(place)}`);
  await writeData(`${escapeText(dataDir)}\n`);
}

async function rekey({ newKeyFile: keyFile, newPassphraseFile: passphraseFile, ...options }: RekeyOptions): Promise<void> {
  const { rekeyStore } = await import("@workrail/runtime");
  const adapters = { log: warningsOnly(options.json === true) };
  const result = await rekeyStore({ keyFile, passphraseFile }, { args: settingArgs(options), adapters });
  if (options.json) return writeJson(result);
  note("The store has another key; the old one opens nothing any more.");
  tellRecoveryKey(result.recoveryKey);
  return writeData(`${escapeText(result.dataDir)}\n`);
}

function tellRecoveryKey(recoveryKey: string | undefined): void {
  if (recoveryKey === undefined) return;
  note("Write this recovery key down, and keep it away from this machine. It is not shown again:");
  for (const line of ["", `  ${recoveryKey}`, ""]) note(line);
}

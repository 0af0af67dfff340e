import { escapeText } from "@workrail/process";
import { rekeyStore, rekeyStoreDeeply, type SealResult, sealStore, unsealStore } from "@workrail/runtime";
import type { Command } from "commander";
import { parsePath } from "../parse-option.ts";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { showingProgress } from "../show-progress.ts";
import { type GlobalOptions, warningsOnly } from "../with-store.ts";

interface EncryptOptions extends GlobalOptions {
  readonly off?: true;
}

interface RekeyOptions extends GlobalOptions {
  readonly deep?: true;
  readonly newKeyFile?: string;
  readonly newPassphraseFile?: string;
}

const EXAMPLES = `
Examples:
  workrail encrypt
  workrail encrypt --encryption-key-file ~/keys/workrail
  workrail encrypt --off
`;

/** `workrail encrypt`: seals or unseals a store, and prints its path. */
export function addEncryptCommand(program: Command): void {
  program
    .command("encrypt")
    .summary("seal or unseal the store")
    .description(
      "Seals everything in the store with a key from the keychain or the settings, and shows a recovery key once. No other process may have the store open. After an interruption, the next command finishes it.",
    )
    .option("--off", "unseal the store")
    .addHelpText("after", EXAMPLES)
    .action(async (_options: EncryptOptions, command: Command) => encrypt(command.optsWithGlobals()));
}

const REKEY_EXAMPLES = `
Examples:
  workrail rekey
  workrail rekey --new-key-file ~/keys/new
  workrail rekey --deep
`;

/** `workrail rekey`: changes the key of a sealed store. */
export function addRekeyCommand(program: Command): void {
  program
    .command("rekey")
    .summary("give a sealed store another key")
    .description(
      "Makes a new key in the keychain, or uses the given one, and shows a new recovery key once. The old keys no longer open the store. No other process may have the store open. --deep reseals everything; after an interruption, the next command with the new key finishes it.",
    )
    .option("--deep", "reseal everything in the store, needed when its keyring has leaked")
    .option("--new-key-file <path>", "file that holds the new key: 32 bytes in base64 or hexadecimal", parsePath)
    .option("--new-passphrase-file <path>", "file whose first line is the new passphrase", parsePath)
    .addHelpText("after", REKEY_EXAMPLES)
    .action(async (_options: RekeyOptions, command: Command) => rekey(command.optsWithGlobals()));
}

async function encrypt(options: EncryptOptions): Promise<void> {
  const given = { args: settingArgs(options), adapters: { log: warningsOnly(options.json === true) } };
  const [convert, what] = options.off === true ? [unsealStore, "Files unsealed:"] : [sealStore, "Files sealed:"];
  const result = await showingProgress(what, (onProgress) => convert({ ...given, onProgress }));
  if (options.json) return writeJson(result);
  note(options.off ? `Unsealed: ${result.blobs}. The store is unencrypted.` : `Sealed: ${result.blobs}. The store is sealed.`);
  return tell(
    result,
    options.off ? "These files could not be opened, and stay sealed; the store's keys are kept:" : "These files could not be opened:",
  );
}

async function rekey({ newKeyFile: keyFile, newPassphraseFile: passphraseFile, ...options }: RekeyOptions): Promise<void> {
  const given = { args: settingArgs(options), adapters: { log: warningsOnly(options.json === true) } };
  if (options.deep) {
    const to = { keyFile, passphraseFile };
    const result = await showingProgress("Resealed files:", (onProgress) => rekeyStoreDeeply(to, { ...given, onProgress }));
    if (options.json) return writeJson(result);
    note(`Resealed: ${result.blobs}. The old key no longer opens the store.`);
    return tell(result, "These files could not be opened, and no key opens them any more:");
  }
  const result = await rekeyStore({ keyFile, passphraseFile }, given);
  if (options.json) return writeJson(result);
  note("The store has a new key; the old key no longer opens it.");
  tellRecoveryKey(result.recoveryKey);
  return writeData(`${escapeText(result.dataDir)}\n`);
}

async function tell({ dataDir, recoveryKey, removedCopies, ...left }: SealResult, whatIsUnreadable: string): Promise<void> {
  tellRecoveryKey(recoveryKey);
  tellPlaces("These old copies of the catalog were removed:", removedCopies);
  tellPlaces("These files are unencrypted; remove them if you do not need them:", left.stillInClear);
  tellPlaces("These files are sealed by an older key; remove them if you do not need them:", left.underOldKey);
  tellPlaces(whatIsUnreadable, left.unreadable);
  await writeData(`${escapeText(dataDir)}\n`);
}

function tellPlaces(what: string, places: readonly string[]): void {
  if (places.length === 0) return;
  note(what);
  for (const place of places) note(`  ${escapeText(place)}`);
}

function tellRecoveryKey(recoveryKey: string | undefined): void {
  if (recoveryKey === undefined) return;
  note("Write this recovery key down, and keep it away from this machine. It is not shown again:");
  for (const line of ["", `  ${recoveryKey}`, ""]) note(line);
}

import { WorkrailError } from "@workrail/core";
import { inOwnName } from "@workrail/process";
import { defaultDataDir, readConfiguration } from "@workrail/runtime";
import { formatBytes } from "../format-bytes.ts";
import { note, writeData, writeJson } from "../print.ts";
import { settingArgs } from "../setting-options.ts";
import { untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, lookIntoStore, withStore } from "../with-store.ts";
import { openBrowser } from "./open-browser.ts";
import { serveUi, type ServeUiOptions } from "./serve-ui.ts";

export interface ShowPageOptions extends GlobalOptions {
  readonly write?: true;
  readonly open: boolean;
  readonly port?: number;
  readonly export?: string;
  readonly session?: string;
}

/** Serves the page, or writes it to a file. */
export async function showPage(options: ShowPageOptions): Promise<void> {
  const { export: file, session: sessionId } = options;
  if (file === undefined) return servePage(options);
  if (sessionId === undefined) {
    throw new WorkrailError("INVALID_INPUT", "Name the session to export.", {
      details: { field: "session" },
      hint: "Add --session; `workrail sessions` lists them.",
    });
  }
  const { exportPage } = await import("./export-page.ts");
  const written = await lookIntoStore(options, (store) => exportPage({ store, sessionId, file }));
  if (options.json === true) return writeJson(written);
  const { checkpoints, total, sizeBytes } = written;
  note(`${checkpoints} of ${total} checkpoints, ${formatBytes(sizeBytes)}. Secrets are replaced; review the file before you share it.`);
  await writeData(`${file}\n`);
}

/** Serves the page until the person interrupts it. */
async function servePage(options: ShowPageOptions): Promise<void> {
  const mayWrite = options.write === true;
  const json = options.json === true;
  await withStore(
    options,
    (store) =>
      untilInterrupted(async (signal) => {
        const served = await serveUi({ store, mayWrite, ...aboutStore(options), port: options.port ?? 0, json });
        const removeFile = options.open ? await openBrowser(served.link) : undefined;
        try {
          await (json ? writeJson({ url: served.link, write: mayWrite }) : writeData(`${served.link}\n`));
          note(inOwnName(adviceOn(options.open && removeFile === undefined)));
          await interruption(signal);
        } finally {
          removeFile?.();
          await served.close();
        }
      }),
    { upkeep: mayWrite, create: false },
  );
}

/** Returns the rules of clean-up, and the option that leads another command to the same files, where one is needed. */
function aboutStore(options: GlobalOptions): Pick<ServeUiOptions, "rules" | "storeOption"> {
  const { dataDir, values } = readConfiguration({ env: process.env, args: settingArgs(options) });
  const { retentionDays, trashDays, cleanupFromPercent, store, tenantsFile } = values;
  const isFound = store !== undefined || dataDir === defaultDataDir(process.env, process.platform);
  return {
    // A tenant may have rules of its own.
    rules: tenantsFile === undefined ? { retentionDays, trashDays, cleanUpFromPercent: cleanupFromPercent } : undefined,
    storeOption: isFound ? undefined : `--data-dir ${quoted(dataDir)}`,
  };
}

/** Quotes a path for the shell of the platform, where it needs that. */
function quoted(path: string): string {
  if (/^[\w./:-]+$/u.test(path)) return path;
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function adviceOn(couldNotOpen: boolean): string {
  return `${couldNotOpen ? "No browser could be opened: open the link yourself. " : ""}The link works once, in one browser. Ctrl-C ends it.`;
}

function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

import { inOwnName } from "@workrail/process";
import { note, writeData, writeJson } from "../print.ts";
import { untilInterrupted } from "../until-interrupted.ts";
import { type GlobalOptions, withStore } from "../with-store.ts";
import { openBrowser } from "./open-browser.ts";
import { serveUi } from "./serve-ui.ts";

export interface ShowPageOptions extends GlobalOptions {
  readonly write?: true;
  readonly open: boolean;
  readonly port?: number;
}

/** Serves the page until the person interrupts it. */
export async function showPage(options: ShowPageOptions): Promise<void> {
  const mayWrite = options.write === true;
  const json = options.json === true;
  await withStore(
    options,
    (store) =>
      untilInterrupted(async (signal) => {
        const served = await serveUi({ store, mayWrite, port: options.port ?? 0, json });
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

function adviceOn(couldNotOpen: boolean): string {
  return `${couldNotOpen ? "No browser could be opened: open the link yourself. " : ""}The link works once, in one browser. Ctrl-C ends it.`;
}

function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

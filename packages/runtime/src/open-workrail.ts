import { asSpelled, hasKeyring } from "@workrail/blob-files";
import { invalidInput } from "@workrail/core";
import { FileTranscripts } from "@workrail/transcripts";
import { checkParams } from "./check-params.ts";
import { checkAdapters } from "./container.ts";
import { type OpenOptions, WARM_UPS } from "./open-options.ts";
import { workrailOver } from "./facade.ts";
import { openStore } from "./open-store.ts";
import { parseProject } from "./parse-project.ts";
import { hasStore, openNothing } from "./missing-store.ts";
import { isNode } from "./place-of.ts";
import { findProject } from "./project.ts";
import { hasKey } from "./sealing/sealing-settings.ts";
import { readSettings } from "./settings.ts";
import type { Workrail } from "./workrail.ts";

/** Opens a store, as `openWorkrail` of the library describes. */
export async function openWorkrail(options: OpenOptions = {}): Promise<Workrail> {
  checkParams(options, "openWorkrail", "options");
  const { warmUp = "opening" } = options;
  if (!WARM_UPS.includes(warmUp)) throw invalidInput("warmUp", "warmUp must be opening or pause.", "Correct warmUp, or leave it out.");
  if (options.adapters !== undefined) checkAdapters(options.adapters);
  const env = options.env ?? process.env;
  const { cwd = process.cwd() } = options;
  const settings = readSettings(env, options, options.adapters?.log);
  const project = options.project === undefined ? (settings.project ?? findProject(cwd)) : options.project;
  if (project !== undefined && project !== null) parseProject(project);
  const transcripts = new FileTranscripts({ project: options.project ?? settings.project, directory: cwd });
  const isMissing = options.create === false && !settings.readOnly && settings.store === undefined && !hasStore(settings.dataDir);
  const adapters = { transcripts, ...(isMissing ? { storage: openNothing } : {}), ...options.adapters };
  const plan = {
    settings,
    adapters,
    project: project === undefined || project === null ? undefined : asSpelled(project),
    upkeep: options.upkeep ?? true,
    takeIncoming: options.takeIncoming,
    warmUp,
    onRebuildProgress: options.onRebuildProgress,
  };
  if (settings.store !== undefined && isNode(settings.store)) {
    const { openNode } = await import("./remote/open-node.ts");
    return openNode(plan, settings.store);
  }
  // Data to be sealed must not stay in memory unencrypted while the disk is away.
  const isSealed =
    settings.sealing.encryption === "enabled" ||
    (adapters.storage === undefined && (settings.store === undefined ? hasKeyring(settings.dataDir) : hasKey(settings.sealing)));
  const mayStandIn = settings.fallback === "memory" && !isSealed && !settings.readOnly;
  if (!mayStandIn) return workrailOver(await openStore(plan));
  const { openWithFallback } = await import("./fallback/fallback.ts");
  return openWithFallback(plan);
}

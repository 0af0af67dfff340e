import { gzipCodec } from "@workrail/codecs";
import { type ChainedRecovery, chained, rebuildCatalog, type Storage } from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { openFiles } from "@workrail/sqlite-fs";
import { nodeDigests, systemClock } from "../environment.ts";
import type { StorePlan } from "../open-store.ts";

/**
 * Reads a store that cannot be opened from its files: a database that cannot be written cannot be read either, but files can.
 *
 * The result is a snapshot of the files at this call. `undefined` when there are no files, or their location is unknown.
 */
export async function readFiles({ settings, adapters }: StorePlan): Promise<Storage | undefined> {
  if (adapters.storage !== undefined || settings.store !== undefined) return undefined;
  const { codec = gzipCodec, digests = nodeDigests, clock = systemClock } = adapters;
  const files = openFiles(settings.dataDir);
  const memory = chained(openMemoryStorage(), (text) => digests.sha256(text));
  const recovery: ChainedRecovery = {
    state: async () => "lost",
    sessionFacts: () => files.sessionFacts(),
    replaceAll: (content, old) => memory.recovery.replaceAll(content, old),
  };
  const { checkpoints } = await rebuildCatalog({ ...memory, recovery, blobs: files.blobs, codec, digests, clock, limits: settings.limits });
  return checkpoints === 0 ? undefined : { ...memory, blobs: files.blobs };
}

import { gzipCodec } from "@workrail/codecs";
import type { Storage } from "@workrail/core";
import { nodeDigests, systemClock } from "../environment.ts";
import type { Settings } from "../settings.ts";
import type { ConversionPorts } from "./convert.ts";

/** What sealing a storage needs beside it: ours where a program brings none. */
export function conversionPorts(
  { codec = gzipCodec, digests = nodeDigests, clock = systemClock }: Partial<Pick<ConversionPorts, "codec" | "digests" | "clock">>,
  { limits, dataDir }: Settings,
  { durability }: Storage,
): ConversionPorts {
  return { codec, digests, clock, limits, dataDir: durability === "disk" ? dataDir : undefined };
}

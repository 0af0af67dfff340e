import { gzipCodec } from "@workrail/codecs";
import type { Storage } from "@workrail/core";
import { nodeDigests, systemClock } from "../environment.ts";
import type { Settings } from "../settings.ts";
import type { ConversionPorts } from "./convert.ts";

/** Returns the ports for sealing a storage, with our defaults for parts that the program does not bring. */
export function conversionPorts(
  { codec = gzipCodec, digests = nodeDigests, clock }: Partial<Pick<ConversionPorts, "codec" | "digests" | "clock">>,
  { limits, dataDir }: Settings,
  { durability, clock: shared = systemClock }: Storage,
): ConversionPorts {
  return { codec, digests, clock: clock === undefined ? shared : clock, limits, dataDir: durability === "disk" ? dataDir : undefined };
}

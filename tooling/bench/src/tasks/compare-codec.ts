import { gzipSync } from "node:zlib";
import { gzipCodec } from "@workrail/codecs";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { generateContext } from "../generate-context.ts";

/** Compares compressing a context's JSON by the codec with zlib alone. */
export async function compareCodec({ bytes, effort }: { readonly bytes: number; readonly effort: Effort }): Promise<Comparison> {
  const json = Buffer.from(JSON.stringify(generateContext(bytes, 1)));
  return alternate(effort, { floor: () => gzipSync(json, { level: 6 }), measured: () => gzipCodec.encode(json) });
}

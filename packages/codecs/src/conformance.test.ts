import { describeCodec } from "@workrail/storage-conformance";
import { gzipCodec as pako } from "./pako.ts";
import { gzipCodec as zlib } from "./zlib.ts";

describeCodec({ name: "gzip by node:zlib", codec: zlib, sameFormat: [pako] });
describeCodec({ name: "gzip by pako", codec: pako, sameFormat: [zlib] });

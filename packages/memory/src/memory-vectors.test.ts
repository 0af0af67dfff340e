import { describeVectors } from "@workrail/storage-conformance";
import { MemoryVectors } from "./memory-vectors.ts";

describeVectors({ name: "memory", open: async () => new MemoryVectors() });

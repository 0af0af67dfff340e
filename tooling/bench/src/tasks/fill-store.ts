import { hash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import {
  canonicalJson,
  type CheckpointFacts,
  type CheckpointId,
  type Digest,
  type Digester,
  encodeEnvelope,
  parseCheckpointId,
  parseSessionId,
} from "@workrail/core";
import { atStep, generateContext } from "../generate-context.ts";
import { openLibrary, PROJECT } from "./open-library.ts";

export interface FillInput {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly bytes: number;
  readonly checkpoints: number;
}

export interface FillResult {
  /** From opening the store to having its catalog made from the files. */
  readonly rebuildMs: number;
}

const digests: Digester = { sha256: (data) => hash("sha256", data, "hex") as Digest };

/** Makes a large store in little time: writes the files of one session, and has the library make the catalog from them. */
export async function fillStore({ dataDir, sessionId, bytes, checkpoints }: FillInput): Promise<FillResult> {
  const directory = path.join(dataDir, "contexts", sessionId);
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const context = generateContext(bytes, 1);
  let parentId: CheckpointId | null = null;
  for (let step = 0; step < checkpoints; step++) {
    const changed = atStep(context, step);
    const json = Buffer.from(JSON.stringify(changed));
    const facts: CheckpointFacts = {
      id: parseCheckpointId(randomUUID()),
      sessionId: parseSessionId(sessionId),
      parentId,
      kind: "workflow",
      createdAt: new Date(Date.UTC(2026, 0, 1) + step * 1_000),
      agentId: undefined,
      workflowId: undefined,
      project: PROJECT,
      name: undefined,
      tags: [],
      attributes: {},
      exactDigest: digests.sha256(json),
      canonicalDigest: digests.sha256(canonicalJson(changed)),
      contextBytes: json.length,
      layers: undefined,
      writer: "workrail/bench",
    };
    fs.writeFileSync(path.join(directory, `${facts.id}.json.gz`), gzipSync(encodeEnvelope(facts, json, digests)), { mode: 0o600 });
    parentId = facts.id;
  }
  const started = performance.now();
  const library = await openLibrary(dataDir);
  const { total } = await library.findCheckpoints({ sessionId, limit: 1 });
  const rebuildMs = performance.now() - started;
  await library.close();
  if (total !== checkpoints) throw new Error(`The catalog knows ${total} of ${checkpoints} checkpoints.`);
  return { rebuildMs };
}

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
import { contextOfNotes } from "../search-text.ts";
import { openLibrary } from "./open-library.ts";

export interface FillInput {
  readonly dataDir: string;
  /** Number of sessions, named by `filledSession`. */
  readonly sessions: number;
  /** Number in each session. */
  readonly checkpoints: number;
  /** Size of each context; 0: contexts of notes with words. */
  readonly bytes: number;
  /** Sessions that grow at the same time, so that their checkpoints are mixed in the catalog. */
  readonly atATime: number;
  /** Projects that the sessions belong to in turn. */
  readonly projects: readonly string[];
}

export interface FillResult {
  /** Milliseconds from opening the store until its catalog is built from the files. */
  readonly rebuildMs: number;
}

const digests: Digester = { sha256: (data) => hash("sha256", data, "hex") as Digest };

/** Returns the id of a filled session, from 0. */
export function filledSession(index: number): string {
  return `session-${index}`;
}

/** Creates a large store quickly: writes the files of its sessions, and lets the library build the catalog from them. */
export async function fillStore(input: FillInput): Promise<FillResult> {
  for (let index = 0; index < input.sessions; index++) writeSession(input, index);
  const started = performance.now();
  const library = await openLibrary(input.dataDir);
  const { total } = await library.findCheckpoints({ project: null, limit: 1 });
  const rebuildMs = performance.now() - started;
  await library.close();
  const expected = input.sessions * input.checkpoints;
  if (total !== expected) throw new Error(`The catalog knows ${total} of ${expected} checkpoints.`);
  return { rebuildMs };
}

function writeSession({ dataDir, checkpoints, bytes, atATime, projects }: FillInput, index: number): void {
  const sessionId = filledSession(index);
  const context = bytes === 0 ? {} : generateContext(bytes, 1);
  const beginsAt = Date.UTC(2026, 0, 1) + Math.floor((index * checkpoints) / atATime) * 1_000;
  const directory = path.join(dataDir, "contexts", sessionId);
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  let parentId: CheckpointId | null = null;
  for (let step = 0; step < checkpoints; step++) {
    const changed = bytes === 0 ? contextOfNotes(index, step) : atStep(context, step);
    const json = Buffer.from(JSON.stringify(changed));
    const facts: CheckpointFacts = {
      id: parseCheckpointId(randomUUID()),
      sessionId: parseSessionId(sessionId),
      parentId,
      kind: "workflow",
      createdAt: new Date(beginsAt + step * 1_000),
      agentId: undefined,
      workflowId: undefined,
      project: projects[index % projects.length],
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
}

import {
  type CheckpointId,
  type CheckpointRecord,
  classifyContext,
  type ClassifyPorts,
  type CompiledRules,
  type CountTokens,
  loadCheckpoint,
  type LoadedCheckpoint,
  type LoadPorts,
  type TokenCounter,
} from "@workrail/core";
import { type ClassifiedContext, compareContexts, type ContextComparison } from "./compare-contexts.ts";

export interface ComparePorts extends LoadPorts, ClassifyPorts {
  readonly tokens: TokenCounter;
}

export interface CompareInput {
  /** Usually the older checkpoint: entries that only `to` has count as added. */
  readonly from: CheckpointId;
  readonly to: CheckpointId;
  /** Classification rules of the workflow's author. */
  readonly rules?: CompiledRules | undefined;
}

export interface ComparedCheckpoints extends ContextComparison {
  readonly from: ComparedSide;
  readonly to: ComparedSide;
}

export interface ComparedSide {
  readonly record: CheckpointRecord;
  /** Tokens of the whole context as JSON. */
  readonly tokens: number;
}

/**
 * Compares two checkpoints of any sessions, entry by entry, with token counts and layers. Entries are classified as of now, with
 * the pins of their own session.
 *
 * @throws the errors of `loadCheckpoint`.
 */
export async function compareCheckpoints(ports: ComparePorts, { from, to, rules }: CompareInput): Promise<ComparedCheckpoints> {
  const older = await loadCheckpoint(ports, { checkpointId: from });
  const newer = await loadCheckpoint(ports, { checkpointId: to });
  const count = countingOnce(await ports.tokens.load());
  const classify = async ({ context, session }: LoadedCheckpoint): Promise<ClassifiedContext> => ({
    context,
    classifications: await classifyContext(ports, context, { pins: session?.pins ?? [], rules }),
  });
  const side = (loaded: LoadedCheckpoint): ComparedSide => ({ record: loaded.record, tokens: count(loaded.contextText()) });
  return { from: side(older), to: side(newer), ...compareContexts(await classify(older), await classify(newer), count) };
}

/** Counts each text once: most values are equal in both contexts, and may be larger than a counter remembers. */
function countingOnce(count: CountTokens): CountTokens {
  const counted = new Map<string, number>();
  return (text) => {
    const known = counted.get(text) ?? count(text);
    counted.set(text, known);
    return known;
  };
}

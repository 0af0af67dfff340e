import { classifyContext } from "../classify/classify-context.ts";
import type { CompiledRules } from "../classify/compile-rules.ts";
import { type ClassifiedContext, compareContexts, type ContextComparison } from "../compare/compare-contexts.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId } from "../model/ids.ts";
import type { TokenCounter } from "../ports/environment.ts";
import { type LoadedCheckpoint, loadCheckpoint, type LoadPorts } from "./load-checkpoint.ts";

export interface ComparePorts extends LoadPorts {
  readonly tokens: TokenCounter;
}

export interface CompareInput {
  /** The older one, usually: what it lacks counts as added. */
  readonly from: CheckpointId;
  readonly to: CheckpointId;
  /** What the author of the workflow says of its entries. */
  readonly rules?: CompiledRules | undefined;
}

export interface ComparedCheckpoints extends ContextComparison {
  readonly from: ComparedSide;
  readonly to: ComparedSide;
}

export interface ComparedSide {
  readonly record: CheckpointRecord;
  /** Of the whole context as JSON. */
  readonly tokens: number;
}

/**
 * Tells what changed from one checkpoint to another, of any two sessions: entry by entry, with what each takes and how much it
 * matters. Entries are classified as they would be now, each by the pins of its own session.
 *
 * @throws whatever loading throws.
 */
export async function compareCheckpoints(ports: ComparePorts, { from, to, rules }: CompareInput): Promise<ComparedCheckpoints> {
  const older = await loadCheckpoint(ports, { checkpointId: from });
  const newer = await loadCheckpoint(ports, { checkpointId: to });
  const count = await ports.tokens.load();
  const classify = ({ context, session }: LoadedCheckpoint): ClassifiedContext => ({
    context,
    classifications: classifyContext(context, { pins: session?.pins ?? [], rules }),
  });
  const side = (loaded: LoadedCheckpoint): ComparedSide => ({ record: loaded.record, tokens: count(loaded.contextText()) });
  return { from: side(older), to: side(newer), ...compareContexts(classify(older), classify(newer), count) };
}

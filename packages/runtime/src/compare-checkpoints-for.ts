import { parseCheckpointId } from "@workrail/core";
import { compareCheckpoints, type ComparedSide, type ComparePorts } from "@workrail/views";
import { metadataOf } from "./metadata.ts";
import type { CompareCheckpointsParams, CompareCheckpointsResult, ComparedMetadata } from "./overview.ts";
import type { ProjectRules } from "./project-rules.ts";

/** Compares two checkpoints by the rules of the project. */
export async function compareCheckpointsFor(
  ports: ComparePorts,
  projectRules: Pick<ProjectRules, "inFile">,
  { fromId, toId }: CompareCheckpointsParams,
): Promise<CompareCheckpointsResult> {
  const [from, to] = [parseCheckpointId(fromId), parseCheckpointId(toId)];
  const { rules } = await projectRules.inFile();
  const compared = await compareCheckpoints(ports, { from, to, rules });
  const side = ({ record, tokens }: ComparedSide): ComparedMetadata => ({ ...metadataOf(record), tokens });
  return { ...compared, from: side(compared.from), to: side(compared.to) };
}

// Views, comparison and resumption of contexts, loaded on demand.
export { compileRules } from "@workrail/classifier/rules";
export { compareCheckpointsFor } from "../compare-checkpoints-for.ts";
export { ContextShaper } from "../context-shaper.ts";
export { Resumer } from "../resume/resumer.ts";
export { viewCheckpoint } from "../view-checkpoint.ts";

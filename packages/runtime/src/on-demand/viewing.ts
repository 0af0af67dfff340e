// Views, comparison and resumption of contexts, loaded on demand.
export { compileRules, loadView } from "@workrail/core";
export { compareCheckpointsFor } from "../compare-checkpoints-for.ts";
export { ContextShaper } from "../context-shaper.ts";
export { Resumer } from "../resume/resumer.ts";

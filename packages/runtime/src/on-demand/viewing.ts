// What makes a context fit, compares it, or goes on from it.
export { compileRules, loadView } from "@workrail/core";
export { compareCheckpointsFor } from "../compare-checkpoints-for.ts";
export { ContextShaper } from "../context-shaper.ts";
export { Resumer } from "../resume/resumer.ts";

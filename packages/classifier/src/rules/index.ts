// Rules of a workflow's author, parsed and compiled. An entry of its own, because a save parses rules without classifying by words.
export { compileRules } from "./compile-rules.ts";
export { parseContextRules } from "./context-rules.ts";

export { endAlthoughHeldUp, endProcess, watchWorkers } from "./end-process.ts";
export { escapeJson, escapeOutput, escapeText } from "./escape-text.ts";
export { callOf, helpInOwnName, inOwnName, ownName, setOwnName, type HintReader, type ProgramName } from "./own-name.ts";

export type { CleanUpRules, DataPorts } from "./data/call.ts";
export { answerCall, CALLS, isCallName } from "./data/calls.ts";
export { pageWith, saveSession } from "./data/saved-session.ts";
export { PAGE_MIME_TYPE, PAGE_RESOURCE, PAGE_TOOL } from "./data/page-tool.ts";
export type { CallName, DataApi } from "./data/calls.ts";

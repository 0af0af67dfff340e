export type { DataPorts } from "./data/call.ts";
export { answerCall, CALLS, isCallName } from "./data/calls.ts";
export { pageWith, saveSession } from "./data/saved-session.ts";
export type { CallName, DataApi } from "./data/calls.ts";

export type { DataPorts } from "./data/call.ts";
export { answerCall, CALLS, isCallName } from "./data/calls.ts";
export type { CallName, DataApi } from "./data/calls.ts";

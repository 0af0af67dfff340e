// The library over HTTP, for a server that offers the store of a node to programs elsewhere.
export { answerCall, scopeOfOperation } from "./answer-call.ts";
export type { NodeCall, OperationScope } from "./answer-call.ts";
export type { CallerPlace } from "./caller-place.ts";

// Hooks of hosts. The program starts for each call, so nothing here loads a database, a schema library or a tokenizer.
export { HOOK_EVENTS } from "./hook-call.ts";
export type { HookPorts } from "./hook-call.ts";
export { hookSettings } from "./hook-settings.ts";
export type { HookSettings } from "./hook-settings.ts";
export { logOverdue, runHook } from "./run-hook.ts";
export type { FailedHook, HookResult } from "./run-hook.ts";
export { statusLine } from "./status-line.ts";
export type { StatusPorts } from "./status-line.ts";
export { writePack } from "./resume-pack.ts";
export type { PackInput } from "./resume-pack.ts";
export type { IncomingSave } from "./incoming-save.ts";
export { HOOK_HOSTS, type HookEvent, type HookHost } from "@workrail/host-transcripts";

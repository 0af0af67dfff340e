import type { HostName } from "../scenario.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import type { HostProgram } from "./host-program.ts";
import { opencode } from "./opencode.ts";

/** The programs of all hosts. */
export const HOST_PROGRAMS: Readonly<Record<HostName, HostProgram>> = { "claude-code": claudeCode, codex, gemini, opencode };

import type { HostDefinition } from "../host-definition.ts";
import type { SetupHost } from "../setup-hosts.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";

export const ALL_HOSTS: Readonly<Record<SetupHost, HostDefinition>> = {
  "claude-code": claudeCode,
  codex,
  gemini,
  cursor,
  vscode,
  opencode,
  windsurf,
};

import path from "node:path";
import type { HostDefinition } from "../host-definition.ts";
import { serverInJson } from "../parts/server-in-json.ts";

export const windsurf: HostDefinition = {
  host: "windsurf",
  title: "Windsurf",
  program: "windsurf",
  traces: ({ home }) => [path.join(home, ".codeium", "windsurf")],
  parts({ home }, scope, { server }) {
    if (scope === "project") return [];
    const file = path.join(home, ".codeium", "windsurf", "mcp_config.json");
    return [serverInJson({ file, dialect: "strict", under: ["mcpServers"], entry: (program) => ({ ...program }) }, server)];
  },
  notes: () => ["Workrail has no hooks for Windsurf: the agent saves and resumes with its tools."],
};

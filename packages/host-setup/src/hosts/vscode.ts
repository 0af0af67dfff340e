import path from "node:path";
import type { HostDefinition } from "../host-definition.ts";
import { serverInJson } from "../parts/server-in-json.ts";
import { directoryFrom, type Surroundings } from "../surroundings.ts";

function folder(surroundings: Surroundings): string {
  const { home, platform } = surroundings;
  if (platform === "win32") return path.join(directoryFrom(surroundings, "APPDATA", path.join(home, "AppData", "Roaming")), "Code");
  if (platform === "darwin") return path.join(home, "Library", "Application Support", "Code");
  return path.join(directoryFrom(surroundings, "XDG_CONFIG_HOME", path.join(home, ".config")), "Code");
}

export const vscode: HostDefinition = {
  host: "vscode",
  title: "VS Code",
  program: "code",
  traces: (surroundings) => [folder(surroundings), path.join(surroundings.home, ".vscode")],
  parts(surroundings, scope, { server }) {
    const place = scope === "user" ? path.join(folder(surroundings), "User") : path.join(surroundings.project, ".vscode");
    const json = { file: path.join(place, "mcp.json"), dialect: "comments-and-commas", under: ["servers"] } as const;
    return [serverInJson({ ...json, entry: (program) => ({ type: "stdio", ...program }) }, server)];
  },
  notes: () => ["VS Code reads hooks from ~/.claude/settings.json: `workrail setup claude-code` writes them."],
};

import fs from "node:fs";
import path from "node:path";
import type { HostDefinition } from "../host-definition.ts";
import { ownModule } from "../parts/own-module.ts";
import { serverInJson } from "../parts/server-in-json.ts";
import { OPENCODE_EVENTS, OPENCODE_MARK, opencodePlugin } from "../plugins/opencode-plugin.ts";
import { directoryFrom, type Surroundings } from "../surroundings.ts";

const folder = (surroundings: Surroundings): string =>
  path.join(directoryFrom(surroundings, "XDG_CONFIG_HOME", path.join(surroundings.home, ".config")), "opencode");

/** The existing settings file: `.jsonc` with comments, or `.json`. */
function configFile(place: string): string {
  const names = ["opencode.jsonc", "opencode.json"];
  return path.join(place, names.find((name) => fs.existsSync(path.join(place, name))) ?? "opencode.json");
}

export const opencode: HostDefinition = {
  host: "opencode",
  title: "opencode",
  program: "opencode",
  traces: (surroundings) => [folder(surroundings)],
  parts(surroundings, scope, { server, hook }) {
    const place = scope === "user" ? folder(surroundings) : surroundings.project;
    const plugins = path.join(scope === "user" ? place : path.join(place, ".opencode"), "plugins");
    const words = [hook.command, ...hook.args];
    return [
      serverInJson(
        {
          file: configFile(place),
          dialect: "comments-and-commas",
          under: ["mcp"],
          addedByHost: ["$schema"],
          entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
        },
        server,
      ),
      ownModule({
        file: path.join(plugins, "workrail.js"),
        mark: OPENCODE_MARK,
        text: opencodePlugin(JSON.stringify(words)),
        events: OPENCODE_EVENTS,
      }),
    ];
  },
  notes: () => [],
};

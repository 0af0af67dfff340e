// Writes the files of the plugins for agents, from plugins/run-hook.mjs, plugins/skill.md and packages/host-setup. Run it with Node after a
// change of these, or of the packages' version.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pluginFiles } from "./plugin-files.ts";
import { ROOT } from "./workspace.ts";

for (const [path, text] of pluginFiles()) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

import { afterEach, expect, it } from "vitest";
import { inOwnName, setOwnName } from "./own-name.ts";

afterEach(() => setOwnName("workrail", { env: {}, script: undefined }));

// Environment and install paths were observed with npm 11, Bun 1.2 and 1.4, pnpm 8, 9, 10 and 12.
it.for([
  ["a program that is installed", {}, "/usr/lib/node_modules/@workrail/cli/dist/workrail.mjs", "workrail"],
  ["npm run", { npm_command: "run-script", npm_lifecycle_event: "start" }, "/p/node_modules/.bin/workrail", "workrail"],
  ["npx", { npm_command: "exec", npm_lifecycle_event: "npx" }, "/h/.npm/_npx/1f/node_modules/.bin/workrail", "npx -y @workrail/cli"],
  ["bunx", { npm_command: "exec", npm_lifecycle_event: "bunx" }, "/tmp/bunx-0-w/node_modules/.bin/workrail", "bunx @workrail/cli"],
  [
    "pnpm dlx of version 8",
    { npm_config_user_agent: "pnpm/8.15.9 npm/? node/v24.21.0 linux x64" },
    "/h/.local/share/pnpm/store/v3/tmp/dlx-19930/node_modules/@workrail/cli/dist/workrail.mjs",
    "pnpm dlx @workrail/cli",
  ],
  [
    "pnpm dlx of version 10",
    { npm_config_user_agent: "pnpm/10.34.9 npm/? node/v24.21.0 linux x64" },
    "/h/.cache/pnpm/dlx/1c4439ff/1a205daad05-4e0e/node_modules/.pnpm/@workrail+cli@1.0.0/node_modules/@workrail/cli/dist/workrail.mjs",
    "pnpm dlx @workrail/cli",
  ],
  [
    "pnpm dlx on Windows",
    {},
    String.raw`C:\Users\u\AppData\Local\pnpm-cache\dlx\1c4439ff\1a205daad05-4e0e\node_modules\@workrail\cli\dist\workrail.mjs`,
    "pnpm dlx @workrail/cli",
  ],
  ["pnpm dlx of version 12, wherever it installs", { npm_command: "dlx" }, "/anywhere/workrail.mjs", "pnpm dlx @workrail/cli"],
  ["pnpm dlx, called by what npx runs", { npm_command: "dlx", npm_lifecycle_event: "npx" }, "/w.mjs", "pnpm dlx @workrail/cli"],
  ["a project in a folder of that name", {}, "/home/dlx/node_modules/.bin/workrail", "workrail"],
] as const)("names commands in the form in which they can be repeated, after %s", ([, env, script, called]) => {
  setOwnName("workrail", { env, script });
  expect(inOwnName("See `workrail list`.")).toBe(`See \`${called} list\`.`);
});

// Every hint passes through inOwnName, for people and for agents.
it.each([
  ["See `workrail list`.", "See `workflow_checkpoint_list`."],
  ["`workrail sessions --all-projects` lists them.", "`workflow_checkpoint_list` lists them."],
  ["`workrail show cp-1` shows all.", "`workflow_checkpoint_load` with checkpointId cp-1 shows all."],
  ["`workrail show --session my-task` shows its keys.", "`workflow_checkpoint_load` with sessionId my-task shows its keys."],
  ["`workrail resume` finds it.", "`workflow_resume` finds it."],
  ["Run `workrail rebuild`.", "Run `npx -y @workrail/mcp-server rebuild` (in a shell)."],
  ["`workrail trash restore s cp-1` brings it back.", "`npx -y @workrail/mcp-server trash restore s cp-1` (in a shell) brings it back."],
])("a hint names a tool to an agent, if there is one: %s", (hint, shown) => {
  setOwnName("workrail-mcp", { env: { npm_lifecycle_event: "npx" }, script: undefined });
  expect(inOwnName(hint, "agent")).toBe(shown);
});

it("a hint names a command in a shell, also in the server's program", () => {
  setOwnName("workrail-mcp", { env: {}, script: undefined });
  expect(inOwnName("`workrail show cp-1` shows all.")).toBe("`workrail-mcp show cp-1` shows all.");
});

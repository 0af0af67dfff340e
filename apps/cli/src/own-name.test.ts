import { afterEach, expect, it } from "vitest";
import { inOwnName, setOwnName } from "./own-name.ts";

afterEach(() => setOwnName("workrail", { env: {}, script: undefined }));

// What these tools set and where they install was seen by running them: npm 11, Bun 1.2 and 1.4, pnpm 8, 9, 10 and 12.
it.each([
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
] as const)("names commands as they can be called again after %s", (_, env, script, called) => {
  setOwnName("workrail", { env, script });
  expect(inOwnName("See `workrail list`.")).toBe(`See \`${called} list\`.`);
});

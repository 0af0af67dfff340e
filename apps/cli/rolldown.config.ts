import { fileURLToPath } from "node:url";
import {
  broughtAlong,
  external,
  firstBundles,
  inFewFiles,
  lightBundle,
  ownDriver,
  ownPage,
  quickToLoad,
  resolve,
  thirdParty,
  withoutPrograms,
  withoutWhitespace,
} from "@workrail/bundle";
import { defineConfig } from "rolldown";

// Bundles: the program, its part that takes in saves, a launcher that checks the Node version before it loads anything else, the hooks,
// and the status line.
export default defineConfig([
  {
    input: { cli: "src/main.ts", "take-in": "src/take-in.ts" },
    platform: "node",
    external: [...external],
    plugins: [withoutPrograms, ownDriver, ownPage, quickToLoad, thirdParty],
    resolve,
    output: {
      dir: "dist",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name].mjs",
      codeSplitting: inFewFiles,
      minify: withoutWhitespace,
      sourcemap: false,
      cleanDir: true,
    },
  },
  {
    input: { workrail: "src/launcher.ts" },
    platform: "node",
    resolve,
    output: { dir: "dist", entryFileNames: "[name].mjs", banner: "#!/usr/bin/env node" },
  },
  ...broughtAlong(fileURLToPath(new URL(".", import.meta.url))),
  ...firstBundles,
  lightBundle("src/hook.ts", "hook"),
  lightBundle("src/statusline.ts", "statusline"),
]);

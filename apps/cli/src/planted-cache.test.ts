import { fileURLToPath } from "node:url";
import config from "../rolldown.config.ts";
import { bundleOnce } from "./testing/bundle-once.ts";
import { describePlantedCaches } from "./testing/describe-planted-caches.ts";

const app = fileURLToPath(new URL("..", import.meta.url));

describePlantedCaches(() => bundleOnce({ app, config }), { launcher: "workrail.mjs", loaded: "cli.mjs", args: ["help"] });

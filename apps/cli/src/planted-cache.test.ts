import { fileURLToPath } from "node:url";
import { bundleOnce } from "@workrail/programs";
import { describePlantedCaches } from "@workrail/faults";
import config from "../rolldown.config.ts";

const app = fileURLToPath(new URL("..", import.meta.url));

describePlantedCaches(() => bundleOnce({ app, config }), { launcher: "workrail.mjs", loaded: "cli.mjs", args: ["help"] });

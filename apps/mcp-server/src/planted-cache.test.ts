import { describePlantedCaches } from "../../cli/src/testing/describe-planted-caches.ts";
import { bundleServer } from "./testing/bundle.ts";

describePlantedCaches(bundleServer, { launcher: "workrail-mcp.mjs", loaded: "server.mjs", args: [] });

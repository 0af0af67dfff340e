import { describePlantedCaches } from "@workrail/faults";
import { bundleServer } from "./testing/bundle.ts";

describePlantedCaches(bundleServer, { launcher: "workrail-mcp.mjs", loaded: "server.cjs", args: [] });

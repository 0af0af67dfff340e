import process from "node:process";
import { createLog, type LogLevel } from "../log.ts";
import { serveStdio } from "../serve-stdio.ts";
import { fixtureTools } from "./fixture-tools.ts";

// A real process with the fixture catalogue, for tests of what only processes can show.
await serveStdio({
  name: "fixture",
  title: "Fixture",
  version: "1.2.3",
  instructions: "Use echo to hear yourself.",
  tools: fixtureTools,
  log: createLog(process.env["WORKRAIL_LOG_LEVEL"] as LogLevel | undefined),
  close: [() => void process.stderr.write("closed\n")],
});

import process from "node:process";
import { createLog, type LogLevel } from "../log.ts";
import { serveStdio } from "../serve-stdio.ts";
import { fixtureTools } from "./fixture-tools.ts";

// A process with the fixture tools, for tests that need a real process.
await serveStdio({
  name: "fixture",
  title: "Fixture",
  version: "1.2.3",
  instructions: "Use echo to hear yourself.",
  tools: fixtureTools,
  log: createLog(process.env["WORKRAIL_LOG_LEVEL"] as LogLevel | undefined),
  close: [() => void process.stderr.write("closed\n")],
});

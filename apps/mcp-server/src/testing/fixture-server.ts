import process from "node:process";
import type { Adapter } from "../adapter.ts";
import { createLog, type LogLevel } from "../log.ts";
import { serveStdio } from "../serve-stdio.ts";
import { fixtureNote, fixtureTools } from "./fixture-tools.ts";

const ADAPTERS: Readonly<Record<string, () => Promise<Adapter>>> = {
  v1: async () => (await import("../sdk-v1-server.ts")).serveSdkV1,
  v2: async () => (await import("../sdk-v2-server.ts")).serveSdkV2,
};
const adapterFor = ADAPTERS[process.env["FIXTURE_ADAPTER"] ?? ""];

// A process with the fixture tools, for tests that need a real process.
serveStdio({
  name: "fixture",
  title: "Fixture",
  version: "1.2.3",
  instructions: "Use echo to hear yourself.",
  tools: fixtureTools,
  resources: [fixtureNote],
  log: createLog(process.env["WORKRAIL_LOG_LEVEL"] as LogLevel | undefined),
  ...(adapterFor === undefined ? {} : { adapterFor }),
  close: [() => void process.stderr.write("closed\n")],
});

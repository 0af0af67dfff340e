import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { HttpFixture } from "./testing/http-fixture.ts";
import { TestHome } from "./testing/server-process.ts";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const require = createRequire(import.meta.url);
const OLD_SUITE = require.resolve("conformance-0.1/dist/index.js");
const SUITE = require.resolve("@modelcontextprotocol/conformance/dist/index.js");

/** Runs of the suite: the program, and its options. */
const RUNS = {
  "suite 0.1": [OLD_SUITE, []],
  "suite 0.2 for 2025-11-25": [SUITE, ["--spec-version", "2025-11-25"]],
  "suite 0.2 for 2026-07-28": [SUITE, ["--requirements", "2026-07-28"]],
} as const;
type Run = keyof typeof RUNS;

/** The newer suite tests the protocol of the older one, too. */
const RUN_NAMES = (Object.keys(RUNS) as Run[]).filter((run) => IS_LONG || run !== "suite 0.1");
const NEWEST: Run = "suite 0.2 for 2026-07-28";
const OLD_RUNS = RUN_NAMES.filter((run) => run !== NEWEST);
/** The published server has the adapter of version 2, which passes each run by itself. */
const PRODUCT_RUNS = RUN_NAMES.filter((run) => IS_LONG || run === NEWEST);

/** Scenarios that fail, or single checks of one as `scenario:check`, by the reason. The suite also fails when one of them passes. */
type Exceptions = Readonly<Record<string, readonly string[]>>;

/** Exceptions of the adapters. */
const OF_OLD: Exceptions = {
  "Logs go to standard error: MCP logging is deprecated.": ["logging-set-level", "tools-call-with-logging"],
  "No tool asks for samples.": ["tools-call-sampling"],
  "A request stands alone, so nothing connects an answer of the client with a question of the old protocol.": [
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  "A request stands alone, so there is no connection for notices of the old protocol.": ["resources-subscribe", "resources-unsubscribe"],
  "Looks for a session, and the server keeps none.": ["server-sse-multiple-streams"],
};

/** Scenarios of extensions, such as tasks, are not scored. */
const OF_NEW: Exceptions = {
  "Tools ask a person to choose, in one round and without a state; nothing else is asked of a client.": [
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-non-tool-request",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "server-stateless:sep-2575-server-rejects-undeclared-capability",
    "server-stateless:sep-2575-missing-capability-http-400",
    "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
  ],
  "Logs go to standard error: MCP logging is deprecated.": ["server-stateless:sep-2575-server-no-log-without-loglevel"],
};

/** Further exceptions of the product, which has tools, resources and prompts of its own. */
const OF_PRODUCT: Exceptions = {
  "Calls a tool, resource or prompt of the suite's own server.": [
    "completion-complete",
    "tools-call-simple-text",
    "tools-call-with-progress",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
};

/** Further exceptions of the product for the newest protocol. */
const OF_NEW_PRODUCT: Exceptions = {
  "Calls a tool of the suite's own server.": [
    "input-required-result-basic-elicitation",
    "input-required-result-result-type",
    "input-required-result-missing-input-response",
    "input-required-result-ignore-extra-params",
  ],
};

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

const PASSED: Outcome = { code: 0, output: expect.stringMatching(/^Total: [1-9]\d* passed/u) as string };

/** Runs a suite against a server. Its exit code is 0 when the exceptions fail, and nothing else does. */
async function check(url: URL, run: Run, ...exceptions: readonly Exceptions[]): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), "workrail-conformance-"));
  try {
    const expected = join(directory, "expected.yml");
    const failing = exceptions.flatMap((each) => Object.values(each).flat());
    writeFileSync(expected, `server:\n${failing.map((name) => `  - ${JSON.stringify(name)}\n`).join("")}`);
    const [suite, options] = RUNS[run];
    const args = [suite, "server", "--url", url.href, ...options, "--expected-failures", expected];
    const child = spawn(process.execPath, args, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    await once(child, "close");
    return { code: child.exitCode, output: output.slice(Math.max(0, output.indexOf("Total: "))) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe("the conformance suite passes but for named exceptions", () => {
  it.each(OLD_RUNS)("with the adapter of version 1: %s", async (run) => {
    await using server = await HttpFixture.start({ env: { FIXTURE_OFFER: "conformance", FIXTURE_ADAPTER: "v1" } });
    expect(await check(server.url, run, OF_OLD)).toMatchObject(PASSED);
  });

  it.each(RUN_NAMES)("with the adapter of version 2: %s", async (run) => {
    await using server = await HttpFixture.start({ env: { FIXTURE_OFFER: "conformance", FIXTURE_ADAPTER: "v2" } });
    const outcome = await check(server.url, run, run === NEWEST ? OF_NEW : OF_OLD);
    expect(outcome).toMatchObject(PASSED);
  });

  it.each(PRODUCT_RUNS)("with the server that is published: %s", async (run) => {
    await using home = await TestHome.create();
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-rate-limit", "0"];
    const program = { command: process.execPath, args, cwd: home.project };
    await using server = await HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: home.dataDir } });
    const exceptions = run === NEWEST ? [OF_NEW, OF_NEW_PRODUCT] : [OF_OLD];
    const outcome = await check(server.url, run, ...exceptions, OF_PRODUCT);
    expect(outcome).toMatchObject(PASSED);
  });
});

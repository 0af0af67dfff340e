import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openWorkrail } from "@workrail/runtime";
import { beforeEach, describe, expect, it } from "vitest";
import { useCli } from "../testing/use-cli.ts";

const cli = useCli();

/** Text that controls a terminal: colours, a cleared screen, reversed text, forged lines. */
const HOSTILE = "x\u001b[31mred\u009b2J\u202Eevil\u2066\u0007\rbar\nFORGED\u2028FORGED";
/** Windows does not allow such file names. */
const FOLDER = process.platform === "win32" ? "evil" : "x\u001b[31m\u202Eevil\nFORGED";
const UNSAFE = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

const project = (): string => join(cli.folder, FOLDER);

beforeEach(async () => {
  mkdirSync(project());
  await using store = await openWorkrail({ dataDir: cli.dataDir, project: project(), env: {} });
  for (const number of [1, 2]) {
    await store.saveCheckpoint({
      sessionId: "s",
      checkpointId: `c${number}`,
      workflowId: HOSTILE,
      agentId: HOSTILE,
      phase: HOSTILE.slice(0, 100),
      context: {
        [HOSTILE]: `${HOSTILE} ${number}`,
        goal: HOSTILE,
        files: [`src/${HOSTILE}.ts`],
        [`decisions${number}`]: { [HOSTILE]: [HOSTILE] },
      },
      metadata: { name: HOSTILE, tags: [HOSTILE], attributes: { [HOSTILE]: HOSTILE } },
    });
  }
  await store.saveCheckpoint({ sessionId: "gone", checkpointId: "g1", context: { [HOSTILE]: HOSTILE }, metadata: { name: HOSTILE } });
  await store.cleanUp({ sessionId: "gone" });
  await store.tagSession({ sessionId: "s", add: [HOSTILE] });
  await store.storeConversation({ conversation: [{ role: "user", content: HOSTILE }], topic: HOSTILE, agentId: HOSTILE });
});

/** Commands that may show hostile text. */
const COMMANDS: readonly (readonly string[])[] = [
  ["show", "c2"],
  ["list", "--all-projects"],
  ["list", "--session", "s"],
  ["list", "--session", "none", "--tag", HOSTILE],
  ["search", "red evil"],
  ["search", HOSTILE],
  ["resume", "red"],
  ["sessions", "--all-projects"],
  ["log", "s"],
  ["diff", "c1", "c2"],
  ["stats", "--all-projects"],
  ["status"],
  ["tag", "s"],
  ["pin", "s", HOSTILE],
  ["unpin", "s", HOSTILE],
  ["pin", "s", `${HOSTILE} that is not there`],
  ["compress", "--session", "s", "--budget", "60", "--json"],
  ["prioritize", "--checkpoint", "c2", "--dry-run"],
  ["trash", "list"],
  ["cleanup", "--dry-run", "--session", "s", "--keep-last", "1"],
  ["verify"],
  ["repair", "--dry-run"],
  ["keep", "s"],
  ["export", "s"],
  ["config", "list"],
  ["config", "set", "condenserModel", HOSTILE],
  ["config", "get", "condenserModel"],
  ["config", "set", HOSTILE, HOSTILE],
  ["doctor"],
  ["load", HOSTILE],
  ["show", HOSTILE],
  [HOSTILE],
  ["list", `--${HOSTILE}`],
  ["list", "--max-depth", HOSTILE],
  ["list", "--data-dir", HOSTILE],
  ["delete", "c1", "--yes"],
  ["trash", "restore", "gone"],
];
/** Commands that show stored text as lines in a fenced block. */
const DOCUMENTS: readonly (readonly string[])[] = [
  ["handoff", "--session", "s"],
  ["resume", "--session", "s", "--depth", "summary"],
];

describe("control characters of stored and given texts", () => {
  it("are escaped in the output for people and in JSON", async () => {
    const unsafe: unknown[] = [];
    const succeeded = new Set<string>();
    for (const args of [...COMMANDS, ...DOCUMENTS]) {
      for (const given of [args, ...(args.includes("--json") ? [] : [[...args, "--json"]])]) {
        const { code, stdout, stderr } = await cli.run(given, { cwd: project() });
        const isDocument = DOCUMENTS.includes(args);
        const text = stdout + stderr;
        if (code === 0) succeeded.add(args[0] ?? "");
        if (UNSAFE.test(text) || (!isDocument && /^FORGED/mu.test(text))) unsafe.push({ given, text });
      }
    }
    expect(unsafe).toEqual([]);
    // Each command must have succeeded at least once.
    const shown = [...COMMANDS, ...DOCUMENTS].flatMap(([name = ""]) => (["load", HOSTILE].includes(name) ? [] : [name]));
    expect([...succeeded].toSorted()).toEqual([...new Set(shown)].toSorted());
  }, 300_000);
});

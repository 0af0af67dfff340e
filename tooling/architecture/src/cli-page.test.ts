import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ERROR_CODES } from "@workrail/core";
import { examineInstallation, openWorkrail, restoreBackup, type Workrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../../apps/cli/src/exit-codes.ts";
import { buildProgram } from "../../../apps/cli/src/program.ts";
import { blocksOf, plain, readPage, sectionOf, tableOf } from "./markdown.ts";

const page = readPage("docs/reference/cli.md");
const program = buildProgram();
const help = program.createHelp();

type Command = (typeof program.commands)[number];

describe("docs/reference/cli.md", () => {
  it("names every command, and no other, as the help does", () => {
    const told = tableOf(page.text).map(([link, meaning]) => [/^\[`workrail (\w+)`\]/.exec(link ?? "")?.[1], meaning]);
    expect(told).toEqual(program.commands.map((command) => [command.name(), command.summary()]));
  });

  it("and the README of the program name the same commands", () => {
    const readme = tableOf(readPage("apps/cli/README.md").text).map(([name, meaning]) => [plain(name), meaning]);
    expect(readme).toEqual(program.commands.map((command) => [`workrail ${command.name()}`, command.summary()]));
  });

  it("describes the options of every command as the help does", () => {
    const told = tableOf(sectionOf(page, "## What holds for all of them"));
    expect(told).toEqual(help.visibleOptions(program).map((option) => [code(help.optionTerm(option)), help.optionDescription(option)]));
  });

  it.each(named(program))("describes %s as its help does", (name, command, level) => {
    const section = sectionOf(page, `${"#".repeat(level + 2)} ${name}`);
    expect(blocksOf(section)[0]?.text).toBe(`${help.commandUsage(command)}\n`);
    const known = parametersOf(command);
    expect(known.length === 0 ? [] : tableOf(section)).toEqual(known);
  });

  it("has every exit code, with the codes of the errors that it stands for", () => {
    const rows = tableOf(sectionOf(page, "## Exit codes"));
    const told = rows.flatMap(([exitCode, codes = ""]) => codes.split(", ").map((each) => [plain(each), Number(exitCode)] as const));
    expect(Object.fromEntries(told.filter(([each]) => each !== ""))).toEqual(EXIT_CODES);
    expect(told.filter(([each]) => each === "").map(([, exitCode]) => exitCode)).toEqual([0, 130]);
    expect(Object.keys(EXIT_CODES).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
  });
});

describe("docs/reference/cli.md, of what --json prints,", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "workrail-page-"));
  let store: Workrail;

  beforeAll(async () => {
    store = await openWorkrail({ dataDir, project: dataDir, limits: { maxCheckpoints: 1 } });
    await store.saveCheckpoint({ sessionId: "s", context: { a: 1 } });
  });

  afterAll(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it("describes every field", async () => {
    const labels = { metadata: { name: "n", tags: ["t"], kind: "x" }, workflowId: "w", agentId: "a" };
    const saved = await store.saveCheckpoint({ sessionId: "s", context: { a: 2 }, ...labels });
    const skipped = await store.saveCheckpoint({ sessionId: "s", context: { a: 2 }, metadata: { name: "other" } });
    const small = await openWorkrail({ dataDir, env: { WORKRAIL_WARN_PERCENT: "1" }, limits: { maxTotalBytes: 20_000 } });
    const warned = await small.saveCheckpoint({ sessionId: "t", context: {} });
    await small.close();
    expect([...fields("## workrail save", 1)].toSorted()).toEqual(keysOf(saved, skipped, warned));

    await store.markCritical({ sessionId: "s", contextKey: "a" });
    const found = await store.findCheckpoints({ sessionId: "s" });
    expect([...fields("## workrail list", 1)].toSorted()).toEqual(keysOf(found));
    expect([...fields("## workrail list", 2)].toSorted()).toEqual(keysOf(...found.checkpoints));
    const session = /^`session` has .*$/m.exec(sectionOf(page, "## workrail list"))?.[0] ?? "";
    for (const key of keysOf(found.session ?? {})) expect(session).toContain(`\`${key}\``);

    expect([...fields("## workrail show", 1)].toSorted()).toEqual(["context", "metadata"]);
    expect([...fields("## workrail status", 0)].toSorted()).toEqual(["dataDir", ...keysOf(await store.storeStatus())].toSorted());
    const backup = join(dataDir, "..", `${basename(dataDir)}-backup`);
    expect([...fields("## workrail backup", 1)].toSorted()).toEqual(keysOf(await store.backup(backup)));
    const restored = await restoreBackup(backup, { dataDir: `${backup}-restored` });
    rmSync(backup, { recursive: true });
    rmSync(`${backup}-restored`, { recursive: true });
    expect([...fields("## workrail restore", 1)].toSorted()).toEqual(keysOf(restored));
    const sessions = await store.listSessions({ project: null });
    expect([...fields("## workrail sessions", 1)].toSorted()).toEqual(keysOf(sessions));
    expect([...fields("## workrail log", 1)].toSorted()).toEqual(keysOf(await store.traceSession({ sessionId: "s" })));
    const { checkpointId: id } = saved;
    expect([...fields("## workrail diff", 1)].toSorted()).toEqual(keysOf(await store.compareCheckpoints({ fromId: id, toId: id })));
    const stats = await store.storeStats({ project: null });
    expect([...fields("## workrail stats", 1)].toSorted()).toEqual(keysOf(stats));
    for (const key of keysOf(...stats.sessions, ...stats.projects)) expect(sectionOf(page, "## workrail stats")).toContain(`\`${key}\``);
    expect([...fields("## workrail pin", 1)].toSorted()).toEqual(keysOf(await store.markCritical({ sessionId: "s", contextKey: "a" })));
    expect([...fields("## workrail handoff", 1)].toSorted()).toEqual(keysOf(await store.handoff({ sessionId: "s" })));
    const examined = await examineInstallation({ env: { WORKRAIL_DATA_DIR: dataDir } });
    expect(fields("## workrail doctor", 1)).toEqual(examined.findings.map(({ check }) => check));
    expect([...fields("## workrail doctor", 2)].toSorted()).toEqual(keysOf(examined));
    const { sessionId, ...report } = { sessionId: "s", ...(await store.cleanUp({ sessionId: "s" })) };
    expect([...fields("## workrail cleanup", 1)].toSorted()).toEqual(keysOf(report));
    expect([...fields("## workrail cleanup", 2)].toSorted()).toEqual(keysOf(...report.removed));
    await store.restoreFromTrash({ sessionId });
    expect([...fields("## workrail rebuild", 0)].toSorted()).toEqual(keysOf(await store.rebuildCatalog()));
  });
});

/** The first cells of the table with this number in a section. */
function fields(heading: string, number: number): readonly string[] {
  const tables = sectionOf(page, heading).split(/\n\n(?=\|)/);
  return tableOf(tables[number + 1] ?? "").map(([field]) => plain(field));
}

function keysOf(...objects: readonly object[]): readonly string[] {
  return [...new Set(objects.flatMap((object) => Object.keys(object)))].toSorted();
}

/** Every command with its full name, and how deep it is. */
function named(parent: Command, level = 0): readonly (readonly [string, Command, number])[] {
  const commands = parent.commands.map((command) => [fullName(command), command, level] as const);
  return commands.flatMap((each) => [each, ...named(each[1], level + 1)]);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function parametersOf(command: Command): readonly (readonly string[])[] {
  return [
    ...command.registeredArguments.map((argument) => {
      const term = help.argumentTerm(argument);
      return [code(argument.required ? `<${term}>` : `[${term}]`), help.argumentDescription(argument)];
    }),
    ...command.options.map((option) => [code(help.optionTerm(option)), help.optionDescription(option)]),
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}

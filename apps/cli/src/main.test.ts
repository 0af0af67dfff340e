import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ErrorCode } from "@workrail/core";
import { openWorkrail } from "@workrail/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { EXIT_CODES } from "./exit-codes.ts";
import type { Outcome } from "./testing/outcome.ts";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();

describe("the command line", () => {
  it("prints help", async () => {
    const { code, stdout, stderr } = await cli.run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: workrail [options] [command]

      Saves the working state of AI agents as checkpoints, and restores it exactly.

      Options:
        --data-dir <path>                  directory of the store; default:
                                           WORKRAIL_DATA_DIR, else the platform's data
                                           folder
        --json                             print JSON, and errors as JSON
        --version                          print the version
        -h, --help                         print help

      Commands:
        save [options] [file]              save a context as a session's latest
                                           checkpoint
        load [options] [id]                print a context's JSON
        show [options] [id]                print a whole checkpoint: metadata and
                                           context
        list [options]                     list checkpoints, newest first
        search [options] <words...>        find checkpoints by the words of their
                                           texts
        resume [options] [words...]        find work to resume, and show its state
        handoff [options] [id]             write a document for whoever takes over the
                                           work
        sessions [options]                 list sessions, the most recently used first
        log [options] [session]            show the history of a session's checkpoints
        diff [options] [from] [to]         show the differences between two
                                           checkpoints
        ui [options]                       see sessions, changes and resumes in the
                                           browser
        stats [options]                    show tokens, compression and storage of
                                           sessions and projects
        tag [options] [session] [tags...]  add tags to a session, or remove them
        pin [options] [session] [key]      mark an entry of a session as critical
        unpin [options] [session] [key]    remove the critical mark of an entry
        keep [options] [session]           protect a session from clean-up
        compress [options] [file]          shorten a context to a budget of tokens
        prioritize [options] [file]        order a context by importance, and see how
                                           it is classified
        export [options] [session]         write a session to a JSON file
        import [options] <files...>        import exported sessions, or data of other
                                           programs
        delete [options] [checkpoints...]  remove checkpoints, or a session
        cleanup [options]                  remove old checkpoints and sessions
        trash                              list the trash, restore from it, or empty
                                           it
        backup <directory>                 copy the whole store to a new directory
        restore [options] <backup>         restore a store from a backup
        copy [options]                     copy the whole store to another place
        sync [options]                     push new checkpoints to another store
        migrate                            create or update the tables of a database
        upkeep [options]                   do background work that is due, for cron
        status                             show the content and limits of the store
        verify                             read the whole store and report faults
        audit                              list, check or export the audit log
        repair [options]                   repair the store, and quarantine damaged
                                           files
        rebuild                            rebuild the catalog from the checkpoints'
                                           files
        scan [options]                     look for secrets in stored data
        encrypt [options]                  seal or unseal the store
        rekey [options]                    give a sealed store another key
        setup [options] [host...]          connect coding agents: MCP server and hooks
        hook [options] <event>             run by coding agents: save a session, and
                                           resume it
        statusline                         print one line about the automatic saves of
                                           a session
        doctor [options]                   check the installation, and suggest fixes
        config                             show and change settings, with their
                                           sources
        completion <shell>                 print a shell's completion script
        help [command...]                  print help for a command

      Examples:
        workrail save context.json --session my-task
        workrail load --session my-task
        workrail list --read-only

      Every command has examples of its own: workrail save --help
      Most settings are options, too, such as --max-depth 5: workrail config list

      "
    `);
    expect((await cli.run(["help"])).stdout).toBe(stdout);
  });

  it.each(["save", "load", "show", "list", "export", "import", "rebuild"])(
    "prints help for %s, with an example and the options of every command",
    async (name) => {
      const { code, stdout } = await cli.run([name, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^Usage: workrail ${name} .*--data-dir <path> .*--json .*Examples?:\n  .*workrail ${name}`, "su"));
      expect((await cli.run(["help", name])).stdout).toBe(stdout);
    },
  );

  it("prints its version, and the same with other options", async () => {
    const expected = { code: 0, stdout: `${manifest.version}\n`, stderr: "" };
    expect(await cli.run(["--version"])).toEqual(expected);
    expect(await cli.run(["list", "--json", "--version"])).toEqual(expected);
  });

  /** Runs a copy of the program in which every file except these parts reports that it was loaded. */
  function withoutOthers(parts: readonly string[]): (args: readonly string[]) => Promise<Outcome> {
    const dist = mkdtempSync(join(cli.dist, "../broken-"));
    onTestFinished(() => rmSync(dist, { recursive: true, force: true }));
    cpSync(cli.dist, dist, { recursive: true });
    for (const file of readdirSync(dist).filter((name) => name.endsWith(".mjs") && !parts.some((part) => name.startsWith(part)))) {
      writeFileSync(join(dist, file), "throw new Error('another part was loaded');");
    }
    return (args) => cli.spawn(args, { launcher: join(dist, "workrail.mjs") });
  }

  const BEGINNING = ["workrail", "compile-cache", "cli", "base", "rolldown-runtime"];

  it("does not load the store for help, the version and wrong usage", async () => {
    const run = withoutOthers(BEGINNING);
    expect((await run(["list"])).stderr).toContain("another part was loaded");
    for (const args of [["--version"], ["--help"], ["list", "--help"], ["list", "--nope"], ["load"], ["save", "missing.json"]]) {
      expect((await run(args)).stderr).not.toContain("another part was loaded");
    }
  });

  it("loads only the opening part of the store for a read", async () => {
    await cli.save({ goal: "one" }, "--session", "s", "--id", "cp-1");
    const run = withoutOthers([...BEGINNING, "opening", "open-workrail"]);
    for (const args of [["list"], ["sessions"], ["log", "s"], ["load", "cp-1"], ["show", "cp-1"], ["status"], ["audit", "list"]]) {
      expect(await run(args)).toMatchObject({ code: 0, stderr: "" });
    }
    expect((await run(["verify"])).stderr).toContain("another part was loaded");
  });

  it.each([
    [["lst"], "unknown command 'lst' (Did you mean list?)", "See: workrail --help"],
    [["list", "--tagg", "x"], "unknown option '--tagg' (Did you mean --tag?)", "See: workrail list --help"],
    [["help", "nosuch"], "unknown command 'nosuch'", "See: workrail --help"],
    [
      ["list", "--name", "save", "--limit", "x"],
      "option '--limit <count>' argument 'x' is invalid. It must be a whole number.",
      "See: workrail list --help",
    ],
    [["list", "x"], "too many arguments for 'list'. Expected 0 arguments but got 1: x.", "See: workrail list --help"],
    [["load", "--session"], "option '--session <id>' argument missing", "See: workrail load --help"],
    [
      ["save", "--metadata", "[]"],
      "option '--metadata <json>' argument '[]' is invalid. It must be a JSON object.",
      "See: workrail save --help",
    ],
    [["list", "--data-dir", ""], "option '--data-dir <path>' argument '' is invalid. It must not be empty.", "See: workrail list --help"],
    [["--json"], "No command is given.", "See: workrail --help"],
  ])("refuses %j", async (args, message, hint) => {
    const { code, stdout, stderr } = await cli.run([...args, "--json"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(JSON.parse(stderr)).toEqual({ error: { code: "INVALID_INPUT", message, hint, details: {} } });
    if (args.includes("--json")) return;
    expect(await cli.run(args)).toEqual({ code: 2, stdout: "", stderr: `INVALID_INPUT: ${message}\n  ${hint}\n` });
  });

  it("shows its usage when no command is given", async () => {
    const { code, stdout, stderr } = await cli.run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: workrail .*INVALID_INPUT: No command is given\.\n {2}See: workrail --help\n$/su);
  });

  it("shows the usage of a group of commands", async () => {
    const { stdout } = await cli.run(["trash", "empty", "--help"]);
    expect(stdout).toMatch(/^Usage: workrail trash empty /u);
    expect(await cli.run(["help", "trash", "empty"])).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("takes global options before and after the command, and prefers them to the environment", async () => {
    await cli.output(["save", "--id", "cp-1", "--data-dir", join(cli.folder, "elsewhere")], { input: '{"a":1}' });
    expect(existsSync(cli.dataDir)).toBe(false);
    const { stdout } = await cli.run(["--json", "--data-dir", join(cli.folder, "elsewhere"), "show", "cp-1"]);
    expect(JSON.parse(stdout)).toMatchObject({ context: { a: 1 } });
  });

  it("escapes control characters in an error", async () => {
    const { stderr } = await cli.run(["load", "\u001b[31mred"]);
    expect(stderr).not.toContain("\u001b");
    expect(await cli.run(["\u001b[31mred"])).toMatchObject({ stderr: expect.stringContaining("'\\u001b[31mred'") });
  });

  it("stops at once on an interrupt, with the exit code 130", async () => {
    const child = spawn(process.execPath, [cli.launcher, "save", "-"], {
      cwd: cli.project,
      env: cli.env,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.write('{"a":');
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual(process.platform === "win32" ? [1, null] : [null, "SIGINT"]);
  });
});

describe.skipIf(process.platform === "win32")("in a shell (skipped on Windows: there is no sh)", () => {
  it("creates files that only the owner can access, whatever the umask", async () => {
    expect(await cli.shell("umask 000; echo '{}' | workrail save --id cp-1")).toMatchObject({ code: 0 });
    const files = globSync("**", { cwd: cli.dataDir }).map((name) => [name, statSync(join(cli.dataDir, name)).mode & 0o077]);
    expect(files).toContainEqual(["workrail.db", 0]);
    expect(files.filter(([, others]) => others !== 0)).toEqual([]);
  });

  it("exits quietly when the reader of its output has closed", async () => {
    await cli.save({ text: "x".repeat(5_000_000) }, "--id", "large");
    for (const command of ["load large", "show large", "list --json", "--help"]) {
      expect(await cli.shell(`{ workrail ${command}; echo "exit $?" >&2; } | head -c 1 > /dev/null`)).toMatchObject({ stderr: "exit 0\n" });
    }
  });

  it.skipIf(!existsSync("/dev/full"))("fails when its output cannot be written (skipped without /dev/full)", async () => {
    await cli.save({ a: 1 }, "--id", "cp-1");
    const { code, stderr } = await cli.shell("workrail load cp-1 > /dev/full");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^INTERNAL: Standard output could not be written: ENOSPC\.\n {2}.+\n$/u);
  });
});

/** Causes each error for real. The command line has no rate limit. */
const FAILURES: Readonly<Record<Exclude<ErrorCode, "INTERNAL" | "RATE_LIMITED">, () => Promise<Outcome>>> = {
  INVALID_INPUT: () => cli.run(["save", "--json"], { input: "[]" }),
  CHECKPOINT_NOT_FOUND: () => cli.run(["show", "none", "--json"]),
  SESSION_NOT_FOUND: () => cli.run(["load", "--session", "none", "--json"]),
  STORE_IN_USE: async () => {
    await using store = await openWorkrail({ dataDir: cli.dataDir });
    expect(store.durability).toBe("disk");
    return await cli.run(["rebuild", "--json"], { env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } });
  },
  SECRET_FOUND: () =>
    cli.run(["save", "--json"], { input: JSON.stringify({ password: ["Winter", "2024!"].join("") }), env: { WORKRAIL_SECRETS: "block" } }),
  LOCK_TIMEOUT: async () => {
    await cli.save({ a: 1 });
    const database = new DatabaseSync(join(cli.dataDir, "workrail.db"));
    database.exec("BEGIN IMMEDIATE");
    // In a process of its own: locks of files do not hold within one process.
    const outcome = await cli.spawn(["save", "--json"], { input: "{}", env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } });
    database.close();
    return outcome;
  },
  KEY_UNAVAILABLE: () => cli.run(["list", "--encryption=enabled", "--json"], { env: { WORKRAIL_ENCRYPTION_KEY: "no key" } }),
  PLAINTEXT_REFUSED: () => {
    const env = { WORKRAIL_ENCRYPTION_KEY: "0".repeat(64) };
    return cli.run(["export", "s", "--encryption=enabled", "--json"], { env });
  },
  READ_ONLY: async () => {
    await cli.save({ a: 1 });
    return cli.run(["--read-only", "save", "--json"], { input: "{}" });
  },
  TOO_LARGE: () => cli.run(["save", "--json"], { input: '{"a":12345}', env: { WORKRAIL_MAX_CONTEXT_BYTES: "10" } }),
  STORAGE_QUOTA_EXCEEDED: () => cli.run(["save", "--json"], { input: '{"a":12345}', env: { WORKRAIL_MAX_CHECKPOINT_BYTES: "10" } }),
  CHECKPOINT_CORRUPT: async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    writeFileSync(join(cli.dataDir, "contexts/s/cp-1.json.gz"), "not gzip");
    return cli.run(["load", "cp-1", "--json"]);
  },
  STORAGE_UNAVAILABLE: () => {
    cli.write("file", "");
    return cli.run(["list", "--json", "--data-dir", join(cli.project, "file")]);
  },
  CONFLICT: async () => {
    await cli.save({ a: 1 }, "--session", "s");
    return cli.run(["save", "--session", "s", "--expect-new", "--json"], { input: '{"a":2}' });
  },
  UNSUPPORTED_VERSION: async () => {
    await cli.save({ a: 1 }, "--session", "s", "--id", "cp-1");
    const file = join(cli.dataDir, "contexts/s/cp-1.json.gz");
    const newer = gunzipSync(readFileSync(file)).toString().replace('{"workrail":1,', '{"workrail":9,');
    writeFileSync(file, gzipSync(newer));
    return cli.run(["load", "cp-1", "--json"]);
  },
};

describe("a failure", () => {
  it.each(Object.entries(FAILURES))("of the kind %s is reported as JSON, with its exit code", async (code, provoke) => {
    const outcome = await provoke();
    // Warnings, one per line, may precede it.
    const { error } = JSON.parse(outcome.stderr.trimEnd().split("\n").at(-1) ?? "") as {
      readonly error: { readonly code: string; readonly hint: string; readonly details: object };
    };
    expect(error).toMatchObject({ code, hint: expect.stringMatching(/^\S.+/u), details: expect.any(Object) });
    expect(outcome).toMatchObject({ code: EXIT_CODES[code as ErrorCode], stdout: "" });
  });

  it("is reported for people as code and message, with indented advice below", async () => {
    expect(await cli.run(["load", "none"])).toEqual({
      code: 10,
      stdout: "",
      stderr: "CHECKPOINT_NOT_FOUND: There is no checkpoint none.\n  `workrail list` lists the existing checkpoints.\n",
    });
  });

  it("reports when a session's id is given in place of a checkpoint's", async () => {
    await cli.save({ a: 1 }, "--session", "task");
    for (const command of [
      ["load", "task"],
      ["show", "task"],
      ["handoff", "task"],
      ["delete", "task", "--yes"],
    ]) {
      const { code, stderr } = await cli.run(command);
      expect([code, stderr]).toEqual([10, expect.stringContaining("\n  This is a session id: give it as --session, or list ")]);
    }
  });
});

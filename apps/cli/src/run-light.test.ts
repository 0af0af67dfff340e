import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useCli } from "./testing/use-cli.ts";

const cli = useCli();
const START = "const { runLight } = await import(process.argv[1]); runLight(process.argv[2], process.argv[3], process.argv.slice(4));";

let folder: string;

beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-light-"))));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs the program of the folder, and returns its output. */
function run(use = "stop", env: Readonly<Record<string, string>> = {}, ahead: readonly string[] = []): string {
  const [runLight, program] = [path.join(cli.dist, "run-light.mjs"), path.join(folder, "main.cjs")].map((file) => pathToFileURL(file).href);
  const args = ["--input-type=module", "--eval", START, "--", runLight ?? "", program ?? "", use, ...ahead];
  return execFileSync(process.execPath, args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder, XDG_CACHE_HOME: path.join(folder, "caches"), LOCALAPPDATA: folder, ...env },
  });
}

function write(name: string, body: string): void {
  fs.writeFileSync(path.join(folder, name), `(function(exports,require,__filename){"use strict";${body}})`);
}

function cacheFiles(): string[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /[\\/]light[\\/]/u.test(name));
  return names.map((name) => path.join(folder, name));
}

/** Names of the caches, without the identity of the script. */
function caches(): string[] {
  return cacheFiles()
    .map((file) => path.basename(file).replace(/\.\d+-.*$/u, ""))
    .toSorted();
}

describe("runLight", () => {
  it("runs a program of several scripts, with and without its caches", () => {
    write(
      "main.cjs",
      `console.log(require("./other.cjs").twice(4), require("./other.cjs")===require("./other.cjs"), __filename.slice(-8));`,
    );
    write("other.cjs", `exports.twice=(number)=>2*number;`);
    expect([run(), run()]).toEqual(["8 true main.cjs\n", "8 true main.cjs\n"]);
    expect(caches()).toEqual(["main.stop", "other.stop"]);
    expect(run("pre-compact")).toBe("8 true main.cjs\n");
    expect(caches()).toEqual(["main.pre-compact", "main.stop", "other.pre-compact", "other.stop"]);
  });

  it("runs scripts that it has read ahead, even if their files are deleted", () => {
    const loadLate = `require("node:fs").rmSync(__filename.replace("main","late"));require("./late.cjs");`;
    write(
      "main.cjs",
      `(function wait(){if(process.getActiveResourcesInfo().includes("FSReqCallback"))setImmediate(wait);else{${loadLate}}})();`,
    );
    write("late.cjs", `console.log("late");`);
    expect(run("stop", {}, ["./late.cjs", "./none.cjs"])).toBe("late\n");
    expect(caches()).toEqual(["late.stop", "main.stop"]);
  });

  it("runs a script again that failed, as Node does", () => {
    const twice = `for(const time of [1,2])try{console.log(require("./other.cjs").half)}catch(error){console.log(error.message)}`;
    write("main.cjs", twice);
    write("other.cjs", `exports.half="half";if(!globalThis.tried){globalThis.tried=true;throw new Error("failed")}`);
    expect(run()).toBe("failed\nhalf\n");
  });

  it("makes all caches again when a script had none: more functions were called", () => {
    write("main.cjs", `function twice(number){return 2*number}if(process.env.MORE)require("./other.cjs").print(twice(4));`);
    write("other.cjs", `exports.print=console.log;`);
    run();
    const size = (): number => fs.statSync(cacheFiles().find((file) => path.basename(file).startsWith("main.")) ?? "").size;
    const before = size();
    expect(run("stop", { MORE: "1" })).toBe("8\n");
    expect(size()).toBeGreaterThan(before);
  });

  it("runs a changed script of the same length, not the code of the old one", () => {
    write("main.cjs", "console.log(1111);");
    expect([run(), run()]).toEqual(["1111\n", "1111\n"]);
    write("main.cjs", "console.log(2222);");
    expect(run()).toBe("2222\n");
  });

  it("replaces a damaged cache", () => {
    write("main.cjs", "console.log(1);");
    run();
    const [light = ""] = cacheFiles();
    const whole = fs.statSync(light).size;
    fs.writeFileSync(light, "nonsense");
    expect(run()).toBe("1\n");
    expect(fs.statSync(light).size).toBe(whole);
  });

  it("removes caches that are older than a month when it writes one", () => {
    write("main.cjs", "console.log(1);");
    run("stop");
    const [old = ""] = cacheFiles();
    const longAgo = new Date(Date.now() - 40 * 24 * 60 * 60 * 1_000);
    fs.utimesSync(old, longAgo, longAgo);
    run("user-prompt");
    expect(caches()).toEqual(["main.user-prompt"]);
  });

  it("runs without a cache where no private directory can be made, or the cache is turned off", () => {
    write("main.cjs", "console.log(1);");
    fs.writeFileSync(path.join(folder, "file"), "");
    const nowhere = path.join(folder, "file");
    expect(run("stop", { HOME: nowhere, XDG_CACHE_HOME: nowhere, LOCALAPPDATA: nowhere })).toBe("1\n");
    expect(run("stop", { NODE_DISABLE_COMPILE_CACHE: "1" })).toBe("1\n");
    expect(caches()).toEqual([]);
  });
});

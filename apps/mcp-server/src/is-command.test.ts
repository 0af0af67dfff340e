import { BARE_OPTIONS } from "@workrail/runtime/settings";
import { describe, expect, it } from "vitest";
import { FLAGS, isCommand } from "./is-command.ts";

describe("isCommand", () => {
  it.each([
    ["list"],
    ["--json list"],
    ["--data-dir X list"],
    ["--data-dir=X list"],
    ["--json --data-dir X --read-only list --limit 5"],
    ["--read-only true list"],
    ["--max-depth 5 load c1"],
    ["help"],
    ["clenup"],
  ])("runs the command line for %s", (line) => {
    expect(isCommand(line.split(" "))).toBe(true);
  });

  it.each([
    [""],
    ["--data-dir X"],
    ["--data-dir=X"],
    ["--read-only"],
    ["--read-only true"],
    ["--max-depth 5 --read-only"],
    ["--version"],
    ["-h"],
    ["--json"],
    ["--data-dir"],
    ["--http"],
    ["--http --data-dir X"],
    ["--http localhost:80 --data-dir X"],
  ])("starts the server for %j", (line) => {
    expect(isCommand(line.split(" ").filter((word) => word !== ""))).toBe(false);
  });

  it("knows every setting that is true without a value", () => {
    const flags = [...BARE_OPTIONS].filter(([, value]) => value === "true").map(([name]) => name);
    expect(FLAGS.toSorted()).toEqual(["--json", ...flags].toSorted());
  });
});

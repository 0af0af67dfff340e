import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resolvePath } from "./resolve-path.ts";
import { readConfiguration } from "./read-configuration.ts";

describe("a path in a setting", () => {
  it("with a leading tilde is in the home directory, as in a shell", () => {
    expect(resolvePath("~")).toBe(os.homedir());
    expect(resolvePath("~/store")).toBe(path.join(os.homedir(), "store"));
    expect(readConfiguration({ env: { WORKRAIL_DATA_DIR: "~/store" } }).dataDir).toBe(path.join(os.homedir(), "store"));
    expect(readConfiguration({ env: {}, args: ["--data-dir", "~/store"] }).dataDir).toBe(path.join(os.homedir(), "store"));
  });

  it("without a leading tilde is relative to the place where it was written", () => {
    expect(resolvePath("store", path.resolve("/etc"))).toBe(path.resolve("/etc/store"));
    expect(resolvePath("a~/b", path.resolve("/etc"))).toBe(path.resolve("/etc/a~/b"));
    expect(resolvePath("~b", path.resolve("/etc"))).toBe(path.resolve("/etc/~b"));
  });
});

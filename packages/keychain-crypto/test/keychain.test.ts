import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyFromKeychain, loadEntryClass } from "../src/keychain.ts";

const SESSION = path.join(import.meta.dirname, "keychain-session.ts");
const isThere = (program: string): boolean => spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
const hasSecretService = process.platform === "linux" && isThere("dbus-run-session") && isThere("gnome-keyring-daemon");
const NODE = ["--conditions=@workrail/source", "--disable-warning=ExperimentalWarning"];

describe("the keychain of Linux", () => {
  it.skipIf(!hasSecretService)("stores and returns a key (skipped where dbus-run-session or gnome-keyring is missing)", () => {
    const home = mkdtempSync(path.join(tmpdir(), "workrail-keychain-"));
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: path.join(home, "data"), XDG_RUNTIME_DIR: home, XDG_CACHE_HOME: home };
    try {
      const output = execFileSync("dbus-run-session", ["--", process.execPath, ...NODE, SESSION], {
        env,
        encoding: "utf8",
        timeout: 120_000,
        stdio: ["ignore", "pipe", "ignore"],
      });
      expect(JSON.parse(output)).toEqual({
        isFound: true,
        isFoundAfterRekey: true,
        old: { code: "KEY_UNAVAILABLE", message: "The keychain has no key for this store." },
      });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it.skipIf(process.platform !== "linux")("reports an error with a hint when it does not run, and never uses the kernel's keyring", () => {
    const script = `import { keyFromKeychain } from ${JSON.stringify(path.join(import.meta.dirname, "../src/index.ts"))};
      keyFromKeychain().make("store").then(() => console.log("made"), ({ code, hint }) => console.log(code, hint));`;
    const env = { PATH: process.env["PATH"], HOME: "/nonexistent", DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent" };
    const output = execFileSync(process.execPath, [...NODE, "--input-type=module", "-e", script], {
      env,
      encoding: "utf8",
      timeout: 120_000,
    });
    expect(output).toContain("KEY_UNAVAILABLE Start and unlock a Secret Service");
  });
});

describe("a keychain", () => {
  it("without an installed library reports that, and names another place for the key", async () => {
    const missing = Object.assign(new Error("Cannot find module '@napi-rs/keyring'"), { code: "MODULE_NOT_FOUND" });
    const keychain = keyFromKeychain(() =>
      loadEntryClass(() => {
        throw missing;
      }),
    );
    await expect(keychain.make("store")).rejects.toMatchObject({
      code: "KEY_UNAVAILABLE",
      message: expect.stringContaining("@napi-rs/keyring, cannot be loaded") as string,
      hint: expect.stringContaining("WORKRAIL_ENCRYPTION_KEY_FILE") as string,
      cause: missing,
    });
  });
});

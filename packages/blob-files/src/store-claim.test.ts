import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isWorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { nodeFileSystem } from "./file-system.ts";
import { type CatalogKind, StoreClaim } from "./store-claim.ts";

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function take(dataDir: string, kind: CatalogKind, waitMs = 0): Promise<StoreClaim | undefined> {
  const excludes: readonly CatalogKind[] = kind === "files" ? ["files", "sqlite"] : ["files"];
  return StoreClaim.take({ dataDir, fs: nodeFileSystem, log, kind, excludes, waitMs });
}

async function refusal(taking: Promise<unknown>): Promise<string> {
  const error: unknown = await taking.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isWorkrailError(error) ? error.code : String(error);
}

/** Starts a process that claims the store a number of times. */
async function openElsewhere(dataDir: string, kind: CatalogKind, times: number): Promise<ChildProcess> {
  const module = path.join(path.dirname(fileURLToPath(import.meta.url)), "../test/claim.ts");
  const args = ["--conditions=@workrail/source", module, dataDir, kind, String(times)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
}

describe("a claim on a store", () => {
  it("of kind files excludes every other claim, of kind sqlite only claims of kind files", () =>
    withDirectory(async (dataDir) => {
      const files = await take(dataDir, "files");
      expect(await refusal(take(dataDir, "files"))).toBe("STORE_IN_USE");
      expect(await refusal(take(dataDir, "sqlite"))).toBe("STORE_IN_USE");
      files?.release();
      const several = [await take(dataDir, "sqlite"), await take(dataDir, "sqlite")];
      expect(await refusal(take(dataDir, "files"))).toBe("STORE_IN_USE");
      for (const claim of several) claim?.release();
      (await take(dataDir, "files"))?.release();
      expect(fs.readdirSync(path.join(dataDir, "open"))).toEqual([]);
    }));

  it("is granted when the earlier claim is released", () =>
    withDirectory(async (dataDir) => {
      const first = await take(dataDir, "files");
      const second = take(dataDir, "files", 60_000);
      first?.release();
      const claim = await second;
      expect(await refusal(take(dataDir, "sqlite"))).toBe("STORE_IN_USE");
      claim?.release();
    }));

  it("is granted to one of many simultaneous processes", () =>
    withDirectory(async (dataDir) => {
      let holders = 0;
      let most = 0;
      const takes = Array.from({ length: 8 }, async () => {
        const claim = await take(dataDir, "files", 60_000);
        most = Math.max(most, ++holders);
        await new Promise((resolve) => setImmediate(resolve));
        holders -= 1;
        claim?.release();
      });
      await Promise.all(takes);
      expect(most).toBe(1);
    }));

  it("ends when its process is killed, and the next claim removes its leftovers", () =>
    withDirectory(async (dataDir) => {
      const child = await openElsewhere(dataDir, "files", 1);
      expect(await refusal(take(dataDir, "sqlite"))).toBe("STORE_IN_USE");
      await killed(child);
      const claim = await take(dataDir, "sqlite", 60_000);
      expect(fs.readdirSync(path.join(dataDir, "open")).filter((name) => name.startsWith("files-"))).toEqual([]);
      claim?.release();
    }));

  it("removes the leftovers of a killed process of the same kind", () =>
    withDirectory(async (dataDir) => {
      const living = await take(dataDir, "sqlite");
      await killed(await openElsewhere(dataDir, "sqlite", 20));
      const open = path.join(dataDir, "open");
      expect(fs.readdirSync(open)).toHaveLength(21);
      const claim = await take(dataDir, "sqlite");
      expect(fs.readdirSync(open)).toHaveLength(2);
      living?.release();
      expect(await refusal(take(dataDir, "files"))).toBe("STORE_IN_USE");
      claim?.release();
    }));

  it("is granted even when leftovers of killed processes cannot be removed", () =>
    withDirectory(async (dataDir) => {
      await killed(await openElsewhere(dataDir, "sqlite", 20));
      const refuse = (): never => {
        throw Object.assign(new Error("EPERM: injected"), { code: "EPERM" });
      };
      const claim = await StoreClaim.take({
        dataDir,
        fs: { ...nodeFileSystem, unlink: refuse },
        log,
        kind: "sqlite",
        excludes: ["files"],
        waitMs: 0,
      });
      expect(await refusal(take(dataDir, "files"))).toBe("STORE_IN_USE");
      claim?.release();
    }));

  it("works when the path is too long for a socket", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "x".repeat(120));
      fs.mkdirSync(dataDir);
      const claim = await take(dataDir, "files");
      expect(await refusal(take(dataDir, "sqlite"))).toBe("STORE_IN_USE");
      claim?.release();
      (await take(dataDir, "sqlite"))?.release();
    }));

  it.skipIf(process.getuid === undefined)(
    "(modes; not on Windows) keeps the socket of a long path where no other user can create one",
    () =>
      withDirectory(async (directory) => {
        const dataDir = path.join(directory, "x".repeat(120));
        fs.mkdirSync(dataDir);
        const claim = await take(dataDir, "files");
        const [name = ""] = fs.readdirSync(path.join(dataDir, "open"));
        const place = `/tmp/workrail-${process.getuid?.()}`;
        expect(fs.statSync(place)).toMatchObject({ uid: process.getuid?.() });
        expect(fs.statSync(place).mode & 0o777).toBe(0o700);
        expect(fs.statSync(path.join(place, name)).isSocket()).toBe(true);
        claim?.release();
        expect(fs.existsSync(path.join(place, name))).toBe(false);
      }),
  );

  it.skipIf(process.platform === "win32")("is not needed for kind sqlite when no file can be created (not on Windows)", () =>
    withDirectory(async (dataDir) => {
      const refused = Object.assign(new Error("EPERM: injected"), { code: "EPERM" });
      const refuse = (): never => {
        throw refused;
      };
      // The marker is named by a rename, or, when the path is too long for a socket, by a create.
      const options = {
        dataDir,
        fs: { ...nodeFileSystem, rename: refuse, create: refuse },
        log,
        excludes: ["files"] as const,
        waitMs: 0,
      };
      expect(await StoreClaim.take({ ...options, kind: "sqlite" })).toBeUndefined();
      await expect(StoreClaim.take({ ...options, kind: "files" })).rejects.toBe(refused);
    }),
  );
});

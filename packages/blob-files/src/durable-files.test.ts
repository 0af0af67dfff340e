import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { isAbandoned, overwriteAndRemove, removeIfPresent, type WriteMode, writeDurably } from "./durable-files.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};

describe("writing a file durably", () => {
  it("syncs the bytes, renames, then syncs the directory", () =>
    inDirectory(async (file) => {
      const calls: string[] = [];
      await writeDurably(recording(calls), file, { bytes: bytesOf("new"), mode: "new" });
      expect(calls).toEqual(["create", "write", "sync", "close", "rename", "syncDirectory"]);
    }));

  it("continues when the system writes fewer bytes than given", () =>
    inDirectory(async (file) => {
      const write: FileSystem["write"] = (fd, bytes) => nodeFileSystem.write(fd, bytes.subarray(0, 3));
      await writeDurably({ ...nodeFileSystem, write }, file, { bytes: bytesOf("more than three bytes"), mode: "new" });
      expect(fs.readFileSync(file, "utf8")).toBe("more than three bytes");
    }));

  it("fails with ENOSPC after a write of zero bytes", () =>
    inDirectory(async (file, names) => {
      const writing = writeDurably({ ...nodeFileSystem, write: () => 0 }, file, { bytes: bytesOf("x"), mode: "new" });
      await expect(writing).rejects.toMatchObject({ code: "ENOSPC" });
      expect(names()).toEqual([]);
    }));

  it.each<keyof FileSystem>(["create", "write", "sync", "close", "rename"])("leaves nothing behind when %s fails", (operation) =>
    inDirectory(async (file, names) => {
      await expect(
        writeDurably({ ...nodeFileSystem, [operation]: failing("EIO") }, file, { bytes: bytesOf("x"), mode: "new" }),
      ).rejects.toMatchObject({
        code: "EIO",
      });
      expect(names()).toEqual([]);
    }),
  );

  it("rejects with the first error when the cleanup fails too", () =>
    inDirectory(async (file) => {
      const files = { ...nodeFileSystem, rename: failing("EXDEV"), unlink: failing("EIO") };
      await expect(writeDurably(files, file, { bytes: bytesOf("x"), mode: "new" })).rejects.toMatchObject({ code: "EXDEV" });
    }));

  it.each<[WriteMode, string[]]>([
    ["new", []],
    ["if-absent", ["file"]],
    ["replace", ["file"]],
  ])("in mode %s, leaves %j after a failed directory sync", (mode, expected) =>
    inDirectory(async (file, names) => {
      const files = { ...nodeFileSystem, syncDirectory: failing("EIO") };
      await expect(writeDurably(files, file, { bytes: bytesOf("x"), mode })).rejects.toMatchObject({ code: "EIO" });
      expect(names()).toEqual(expected);
    }),
  );

  it.each<[string, Partial<FileSystem>]>([
    ["with links", {}],
    ["without links", { link: failing("EPERM") }],
    ["without links, like FAT on Windows", { link: failing("EISDIR") }],
  ])("does not touch a file that already has the name, on a file system %s", (_, changes) =>
    inDirectory(async (file, names) => {
      const files = { ...nodeFileSystem, ...changes };
      expect(await writeDurably(files, file, { bytes: bytesOf("first"), mode: "if-absent" })).toBe(true);
      expect(await writeDurably(files, file, { bytes: bytesOf("second"), mode: "if-absent" })).toBe(false);
      expect(fs.readFileSync(file, "utf8")).toBe("first");
      expect(names()).toEqual(["file"]);
    }),
  );

  it("replaces a file as a whole", () =>
    inDirectory(async (file, names) => {
      fs.writeFileSync(file, "a longer text than the new one");
      await writeDurably(nodeFileSystem, file, { bytes: bytesOf("new"), mode: "replace" });
      expect(fs.readFileSync(file, "utf8")).toBe("new");
      expect(names()).toEqual(["file"]);
    }));
});

describe("removing a file", () => {
  it("succeeds when it is missing, and reports other failures", () =>
    inDirectory(async (file) => {
      expect(() => removeIfPresent(nodeFileSystem, file)).not.toThrow();
      expect(() => removeIfPresent({ ...nodeFileSystem, unlink: failing("EACCES") }, file)).toThrow("EACCES");
    }));
});

describe("overwriting a file", () => {
  const DEAD = ".tmp-00000000-4194999-0000000000000000";

  /** Returns a file's bytes after `work`, which may remove it. */
  async function bytesAfter(file: string, work: () => Promise<unknown>): Promise<string> {
    const fd = fs.openSync(file, "r");
    try {
      await work();
      return fs.readFileSync(fd, "latin1");
    } finally {
      fs.closeSync(fd);
    }
  }

  it("zeroes its bytes, and reports whether it existed", () =>
    inDirectory(async (file, names) => {
      fs.writeFileSync(file, "x".repeat(100_000));
      expect(await bytesAfter(file, () => overwriteAndRemove(nodeFileSystem, file))).toBe("\0".repeat(100_000));
      expect(names()).toEqual([]);
      expect(await overwriteAndRemove(nodeFileSystem, file)).toBe(false);
    }));

  it("unlinks a dead process's temporary name, and keeps the linked file", () =>
    inDirectory(async (file, names) => {
      fs.writeFileSync(file, "kept");
      const temporary = path.join(path.dirname(file), DEAD);
      fs.linkSync(file, temporary);
      expect(await overwriteAndRemove(nodeFileSystem, temporary)).toBe(true);
      expect(names()).toEqual(["file"]);
      expect(fs.readFileSync(file, "utf8")).toBe("kept");
    }));

  it("zeroes a file that also has a temporary name", () =>
    inDirectory(async (file, names) => {
      fs.writeFileSync(file, "erased");
      fs.linkSync(file, path.join(path.dirname(file), DEAD));
      const other = path.join(path.dirname(file), DEAD.replace("4194999", "4194998"));
      fs.writeFileSync(other, "another's");
      expect(await bytesAfter(file, () => overwriteAndRemove(nodeFileSystem, file))).toBe("\0".repeat(6));
      expect(names()).toEqual([path.basename(other)]);
    }));

  it("keeps the bytes when another hard link exists", () =>
    inDirectory(async (file, names) => {
      fs.writeFileSync(file, "a person's own copy");
      fs.linkSync(file, `${file}.mine`);
      expect(await overwriteAndRemove(nodeFileSystem, file)).toBe(true);
      expect(names()).toEqual(["file.mine"]);
      expect(fs.readFileSync(`${file}.mine`, "utf8")).toBe("a person's own copy");
    }));
});

describe("a temporary file", () => {
  it("is abandoned when its process is dead, and after a day when that is unknown", () =>
    inDirectory(async (file, names) => {
      const directory = path.dirname(file);
      // A write whose temporary file remains.
      const files = { ...nodeFileSystem, write: failing("EIO"), unlink: failing("EIO") };
      await writeDurably(files, file, { bytes: bytesOf("x"), mode: "new" }).catch(() => undefined);
      const [own = ""] = names();
      const now = new Date();
      const tomorrow = new Date(now.getTime() + 25 * 60 * 60 * 1000);
      const isGivenUp = (name: string, at: Date): boolean => {
        fs.writeFileSync(path.join(directory, name), "");
        return isAbandoned(nodeFileSystem, path.join(directory, name), at);
      };
      expect(isGivenUp(own, tomorrow)).toBe(false);
      // Processes in containers may have the same id, in turn or at once.
      const earlier = own.replace(/[0-9a-f]{16}$/, "0123456789abcdef");
      expect([isGivenUp(earlier, now), isGivenUp(earlier, tomorrow)]).toEqual([false, true]);
      expect(isGivenUp(own.replace(`-${process.pid}-`, "-4194999-"), now)).toBe(true);
      const foreign = own.replace(/^\.tmp-[0-9a-f]{8}/, ".tmp-00000000");
      expect([isGivenUp(foreign, now), isGivenUp(foreign, tomorrow)]).toEqual([false, true]);
      for (const name of ["metadata.json", "x.json.gz", ".tmp-x", `${own}.json.gz`, `x${own}`])
        expect(isGivenUp(name, tomorrow)).toBe(false);
    }));

  it("of another process namespace with the same host name is not abandoned", (test) =>
    inDirectory(async (file) => {
      const script = path.join(path.dirname(fileURLToPath(import.meta.url)), "../test/temporary-name.ts");
      const node = [process.execPath, "--conditions=@workrail/source", script];
      const { status, stdout } = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", ...node], { encoding: "utf8" });
      if (status !== 0) return test.skip("this system or user cannot make a process namespace");
      const theirs = stdout.replace(/-[0-9]+-(?=[0-9a-f]{16}$)/, "-4194999-");
      fs.writeFileSync(path.join(path.dirname(file), theirs), "");
      expect(isAbandoned(nodeFileSystem, path.join(path.dirname(file), theirs), new Date())).toBe(false);
    }));
});

function inDirectory(test: (file: string, names: () => readonly string[]) => Promise<void>): Promise<void> {
  return withDirectory((directory) => test(path.join(directory, "file"), () => fs.readdirSync(directory)));
}

/** The real file system, with a record of its calls. */
function recording(calls: string[]): FileSystem {
  return new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem) {
      calls.push(name);
      return target[name];
    },
  });
}

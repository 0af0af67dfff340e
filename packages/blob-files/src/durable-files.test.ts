import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { isAbandoned, removeIfPresent, type WriteMode, writeDurably } from "./durable-files.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};

describe("writing a file durably", () => {
  it("syncs the bytes before the name, and the name before it resolves", () =>
    inDirectory(async (file) => {
      const calls: string[] = [];
      await writeDurably(recording(calls), file, bytesOf("new"), "new");
      expect(calls).toEqual(["create", "write", "sync", "close", "rename", "syncDirectory"]);
    }));

  it("writes on when the system takes fewer bytes than it was given", () =>
    inDirectory(async (file) => {
      const write: FileSystem["write"] = (fd, bytes) => nodeFileSystem.write(fd, bytes.subarray(0, 3));
      await writeDurably({ ...nodeFileSystem, write }, file, bytesOf("more than three bytes"), "new");
      expect(fs.readFileSync(file, "utf8")).toBe("more than three bytes");
    }));

  it("takes no bytes at all for a full disk, and does not try for ever", () =>
    inDirectory(async (file, names) => {
      const writing = writeDurably({ ...nodeFileSystem, write: () => 0 }, file, bytesOf("x"), "new");
      await expect(writing).rejects.toMatchObject({ code: "ENOSPC" });
      expect(names()).toEqual([]);
    }));

  it.each<keyof FileSystem>(["create", "write", "sync", "close", "rename"])("leaves nothing behind when %s fails", (operation) =>
    inDirectory(async (file, names) => {
      await expect(writeDurably({ ...nodeFileSystem, [operation]: failing("EIO") }, file, bytesOf("x"), "new")).rejects.toMatchObject({
        code: "EIO",
      });
      expect(names()).toEqual([]);
    }),
  );

  it("tells the first failure when removing what it left fails too", () =>
    inDirectory(async (file) => {
      const files = { ...nodeFileSystem, rename: failing("EXDEV"), unlink: failing("EIO") };
      await expect(writeDurably(files, file, bytesOf("x"), "new")).rejects.toMatchObject({ code: "EXDEV" });
    }));

  it.each<[WriteMode, string[]]>([
    ["new", []],
    ["if-absent", ["file"]],
    ["replace", ["file"]],
  ])("in mode %s, when the name may not be durable, takes back only what nobody else can know of", (mode, expected) =>
    inDirectory(async (file, names) => {
      const files = { ...nodeFileSystem, syncDirectory: failing("EIO") };
      await expect(writeDurably(files, file, bytesOf("x"), mode)).rejects.toMatchObject({ code: "EIO" });
      expect(names()).toEqual(expected);
    }),
  );

  it.each<[string, Partial<FileSystem>]>([
    ["with links", {}],
    ["without links", { link: failing("EPERM") }],
    ["without links, as Windows tells of FAT", { link: failing("EISDIR") }],
  ])("leaves a file alone that has the name already, on a file system %s", (_, changes) =>
    inDirectory(async (file, names) => {
      const files = { ...nodeFileSystem, ...changes };
      expect(await writeDurably(files, file, bytesOf("first"), "if-absent")).toBe(true);
      expect(await writeDurably(files, file, bytesOf("second"), "if-absent")).toBe(false);
      expect(fs.readFileSync(file, "utf8")).toBe("first");
      expect(names()).toEqual(["file"]);
    }),
  );

  it("replaces a file as a whole", () =>
    inDirectory(async (file, names) => {
      fs.writeFileSync(file, "a longer text than the new one");
      await writeDurably(nodeFileSystem, file, bytesOf("new"), "replace");
      expect(fs.readFileSync(file, "utf8")).toBe("new");
      expect(names()).toEqual(["file"]);
    }));
});

describe("removing a file", () => {
  it("that is not there is done already, and any other failure is told", () =>
    inDirectory(async (file) => {
      expect(() => removeIfPresent(nodeFileSystem, file)).not.toThrow();
      expect(() => removeIfPresent({ ...nodeFileSystem, unlink: failing("EACCES") }, file)).toThrow("EACCES");
    }));
});

describe("a temporary file", () => {
  it("is abandoned when its process is gone, and on another machine after a day", () =>
    inDirectory(async (file, names) => {
      const directory = path.dirname(file);
      // Whatever a process that dies now would leave.
      const files = { ...nodeFileSystem, write: failing("EIO"), unlink: failing("EIO") };
      await writeDurably(files, file, bytesOf("x"), "new").catch(() => undefined);
      const [own = ""] = names();
      const now = new Date();
      const tomorrow = new Date(now.getTime() + 25 * 60 * 60 * 1000);
      const isGivenUp = (name: string, at: Date): boolean => {
        fs.writeFileSync(path.join(directory, name), "");
        return isAbandoned(nodeFileSystem, directory, name, at);
      };
      expect(isGivenUp(own, tomorrow)).toBe(false);
      expect(isGivenUp(own.replace(`-${process.pid}-`, "-4194999-"), now)).toBe(true);
      const foreign = own.replace(/^\.tmp-[0-9a-f]{8}/, ".tmp-00000000");
      expect([isGivenUp(foreign, now), isGivenUp(foreign, tomorrow)]).toEqual([false, true]);
      for (const name of ["metadata.json", "x.json.gz", ".tmp-x", `${own}.json.gz`, `x${own}`])
        expect(isGivenUp(name, tomorrow)).toBe(false);
    }));
});

function inDirectory(test: (file: string, names: () => readonly string[]) => Promise<void>): Promise<void> {
  return withDirectory((directory) => test(path.join(directory, "file"), () => fs.readdirSync(directory)));
}

/** The real file system, which notes what it does. */
function recording(calls: string[]): FileSystem {
  return new Proxy(nodeFileSystem, {
    get(target, name: keyof FileSystem) {
      calls.push(name);
      return target[name];
    },
  });
}

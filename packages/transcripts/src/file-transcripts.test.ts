import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import { isWorkrailError } from "@workrail/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileTranscripts } from "./file-transcripts.ts";

const WRITER = fileURLToPath(new URL("../test/write-transcripts.ts", import.meta.url));
const isPosix = process.platform !== "win32";
const isRoot = isPosix && process.getuid?.() === 0;
const FOLDERS = [".codearchitect", "sessions", "2025-01-15"];

let place: string;
let root: string;
let outside: string;

beforeEach(() => {
  place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "workrail-transcripts-")));
  root = path.join(place, "project");
  outside = path.join(place, "outside");
  fs.mkdirSync(root);
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(root, "package.json"), "{}");
});

afterEach(() => {
  fs.chmodSync(root, 0o700);
  fs.rmSync(place, { recursive: true, force: true });
});

function transcripts(changes: Partial<FileSystem> = {}): FileTranscripts {
  return new FileTranscripts({ directory: root, fs: { ...nodeFileSystem, ...changes } });
}

function write(into = transcripts(), names: Iterable<string> = ["a.md", "a-1.md", "a-2.md"]): ReturnType<FileTranscripts["write"]> {
  return into.write({ folders: FOLDERS, names, text: "héllo\n" });
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    if (isWorkrailError(error)) return { ...error.details, code: error.code, hint: error.hint };
    throw error;
  }
  throw new Error("It did not fail.");
}

/** Returns every file below the directory, without following links. */
function filesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}

describe("a transcript", () => {
  it("is written with exactly its text, into folders created as needed", async () => {
    const { file, filename, isInProject } = await write();
    expect({ file, filename, isInProject }).toEqual({ file: path.join(root, ...FOLDERS, "a.md"), filename: "a.md", isInProject: true });
    expect(fs.readFileSync(file, "utf8")).toBe("héllo\n");
  });

  it.skipIf(!isPosix)("(modes; not on Windows) is readable only by its owner", async () => {
    const { file } = await write();
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  it("is written to the working directory without a project, and reports that", async () => {
    const { file, isInProject } = await write(new FileTranscripts({ directory: outside }));
    expect([file, isInProject]).toEqual([path.join(outside, ...FOLDERS, "a.md"), false]);
  });

  it("is written to the given project, for any working directory", async () => {
    const { file, isInProject } = await write(new FileTranscripts({ directory: root, project: outside }));
    expect([file, isInProject]).toEqual([path.join(outside, ...FOLDERS, "a.md"), true]);
  });

  it("gets the next name when one is taken, and leaves the existing file unchanged", async () => {
    await write();
    fs.mkdirSync(path.join(root, ...FOLDERS, "a-1.md"));
    expect((await write()).filename).toBe("a-2.md");
    expect(await failureOf(write())).toMatchObject({ code: "CONFLICT", step: "name" });
    expect(filesIn(path.join(root, ".codearchitect"))).toHaveLength(2);
  });

  it("is written and synced before the call returns", async () => {
    const done: string[] = [];
    const fds = new Map<number, string>();
    const name = (at: string): string => path.relative(root, at).replaceAll("\\", "/");
    await write(
      transcripts({
        create: (at) => {
          const fd = nodeFileSystem.create(at);
          fds.set(fd, name(at));
          return fd;
        },
        sync: (fd) => void done.push(`sync ${fds.get(fd) ?? "?"}`),
        syncDirectory: (at) => void done.push(`sync ${name(at)}/`),
      }),
    );
    const day = FOLDERS.join("/");
    expect(done).toEqual(["sync /", "sync .codearchitect/", "sync .codearchitect/sessions/", `sync ${day}/a.md`, `sync ${day}/`]);
  });
});

describe("concurrent processes", () => {
  it("get a file each for each transcript: 8 processes, 25 times each, under the same names", async () => {
    const writers = Array.from({ length: 8 }, (_, who) => {
      return spawn(process.execPath, ["--conditions=@workrail/source", WRITER, root, String(who), "25"], {
        stdio: ["ignore", "pipe", "inherit"],
      });
    });
    const ends = writers.map((writer) => once(writer, "close"));
    const told = (await Promise.all(writers.map((writer) => text(writer.stdout)))).join("").trim().split("\n");
    expect((await Promise.all(ends)).map(([code]) => code as unknown)).toEqual(Array(8).fill(0));
    const written = filesIn(path.join(root, "a")).map(
      (name) => `${path.basename(name)} ${fs.readFileSync(path.join(root, "a", name), "utf8")}`,
    );
    expect(told).toHaveLength(200);
    expect(written.toSorted()).toEqual(told.toSorted());
  });
});

describe("nothing is written outside of the root", () => {
  it.each([0, 1, 2])("when folder %i is a link to another directory", async (depth) => {
    const linked = path.join(root, ...FOLDERS.slice(0, depth + 1));
    fs.mkdirSync(path.dirname(linked), { recursive: true });
    fs.symlinkSync(outside, linked, "junction");
    expect(await failureOf(write())).toMatchObject({ code: "STORAGE_UNAVAILABLE", step: "folder", reason: "symbolic-link", path: linked });
    expect(filesIn(outside)).toEqual([]);
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  it.skipIf(!isPosix)("(links; not on Windows) when a folder is a dangling link", async () => {
    fs.symlinkSync(path.join(outside, "new"), path.join(root, ".codearchitect"));
    expect(await failureOf(write())).toMatchObject({ step: "folder", reason: "symbolic-link" });
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  it.skipIf(!isPosix)("(links; not on Windows) when the name is a link, even a dangling one", async () => {
    const day = path.join(root, ...FOLDERS);
    fs.mkdirSync(day, { recursive: true });
    fs.writeFileSync(path.join(outside, "precious"), "as it was");
    fs.symlinkSync(path.join(outside, "precious"), path.join(day, "a.md"));
    fs.symlinkSync(path.join(outside, "new"), path.join(day, "a-1.md"));
    expect((await write()).filename).toBe("a-2.md");
    expect(filesIn(outside)).toEqual(["precious"]);
    expect(fs.readFileSync(path.join(outside, "precious"), "utf8")).toBe("as it was");
  });

  it.skipIf(!isPosix)("(links; not on Windows) when a folder is replaced by a link during the write", async () => {
    const day = path.join(root, ...FOLDERS);
    const swapping = transcripts({
      create: (at) => {
        fs.renameSync(day, `${day}-moved`);
        fs.symlinkSync(outside, day);
        return nodeFileSystem.create(at);
      },
    });
    expect(await failureOf(write(swapping))).toMatchObject({ code: "STORAGE_UNAVAILABLE", step: "folder" });
    expect(filesIn(outside)).toEqual([]);
  });

  it.each(["..", ".", "../a.md", "a/b.md", "a\\b.md", "C:a.md", "", "a\0.md"])("for any names: %j", async (name) => {
    expect(await failureOf(write(transcripts(), [name]))).toMatchObject({ code: "INVALID_INPUT" });
    expect(await failureOf(transcripts().write({ folders: [name], names: ["a.md"], text: "" }))).toMatchObject({ code: "INVALID_INPUT" });
    expect(filesIn(place)).toEqual(["project/package.json"]);
  });
});

describe("a failed write", () => {
  it.each([0, 1, 2])("reports that folder %i is a file", async (depth) => {
    const taken = path.join(root, ...FOLDERS.slice(0, depth + 1));
    fs.mkdirSync(path.dirname(taken), { recursive: true });
    fs.writeFileSync(taken, "in the way");
    expect(await failureOf(write())).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      step: "folder",
      reason: "wrong-kind-of-file",
      path: taken,
    });
    expect(fs.readFileSync(taken, "utf8")).toBe("in the way");
  });

  it("reports that the given project does not exist", async () => {
    const gone = new FileTranscripts({ directory: root, project: path.join(place, "gone") });
    expect(await failureOf(write(gone))).toMatchObject({ code: "STORAGE_UNAVAILABLE", step: "folder" });
    expect(fs.existsSync(path.join(place, "gone"))).toBe(false);
  });

  it.skipIf(!isPosix || isRoot)("(modes; neither on Windows nor as root) reports that the project is read-only", async () => {
    fs.chmodSync(root, 0o500);
    expect(await failureOf(write())).toMatchObject({ code: "STORAGE_UNAVAILABLE", step: "folder", reason: "not-permitted" });
  });

  const faults: readonly (readonly [keyof FileSystem, string, string, string])[] = [
    ["makeDirectory", "EROFS", "folder", "read-only"],
    ["makeDirectory", "ENOSPC", "folder", "disk-full"],
    ["create", "EACCES", "file", "not-permitted"],
    ["create", "ENOSPC", "file", "disk-full"],
    ["write", "ENOSPC", "file", "disk-full"],
    ["write", "EFBIG", "file", "file-too-large"],
    ["sync", "EIO", "file", "input-output"],
    ["close", "EIO", "file", "input-output"],
    ["syncDirectory", "EIO", "folder", "input-output"],
  ];

  it.for(faults)("leaves no file behind when %s fails with %s", async ([operation, errno, step, reason]) => {
    const failing = transcripts({
      [operation]: (...given: unknown[]) => {
        if (operation === "close") nodeFileSystem.close(given[0] as number);
        throw Object.assign(new Error(`${errno}: injected`), { code: errno });
      },
    });
    expect(await failureOf(write(failing))).toMatchObject({ step, reason, hint: expect.stringMatching(/\w/u) as string });
    expect(filesIn(root)).toEqual(["package.json"]);
  });

  it("leaves no partial file behind when the disk fills up during the write", async () => {
    let calls = 0;
    const filling = transcripts({
      write(fd, bytes) {
        calls += 1;
        if (calls > 1) throw Object.assign(new Error("ENOSPC: injected"), { code: "ENOSPC" });
        return nodeFileSystem.write(fd, bytes.subarray(0, 3));
      },
    });
    expect(await failureOf(write(filling))).toMatchObject({ code: "STORAGE_UNAVAILABLE", step: "file", reason: "disk-full" });
    expect(filesIn(root)).toEqual(["package.json"]);
    expect((await write()).filename).toBe("a.md");
  });

  it("does not include a file system that cannot sync directories", async () => {
    const old = transcripts({
      syncDirectory: () => {
        throw Object.assign(new Error("EINVAL: injected"), { code: "EINVAL" });
      },
    });
    expect((await write(old)).filename).toBe("a.md");
  });

  it("passes on errors other than disk errors", async () => {
    const buggy = transcripts({
      create: () => {
        throw new TypeError("a bug");
      },
    });
    await expect(write(buggy)).rejects.toThrow(TypeError);
  });
});

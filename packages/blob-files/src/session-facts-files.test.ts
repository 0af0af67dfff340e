import fs from "node:fs";
import path from "node:path";
import type { CheckpointId, SessionFacts, SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { FileBlobStore } from "./file-blob-store.ts";
import { nodeFileSystem } from "./file-system.ts";
import { SessionFactsFiles } from "./session-facts-files.ts";

const FACTS: SessionFacts = {
  sessionId: "session" as SessionId,
  createdAt: new Date("2027-03-04T05:06:07.089Z"),
  tags: ["keep"],
  pins: ["plan", `a "check": ""`, "\ud800", "ü"],
  tombstones: ["gone" as CheckpointId],
  erasing: ["erased" as CheckpointId],
  oldestLive: "oldest" as CheckpointId,
  trash: [{ checkpointId: "trashed" as CheckpointId, at: new Date("2027-03-05T00:00:00.000Z") }],
  shields: [{ checkpointId: "held" as CheckpointId, until: new Date("2027-03-12T00:00:00.000Z") }],
};

/** Creates facts files in a new directory, and passes the path of the session's file. */
async function withFiles(work: (open: () => SessionFactsFiles, file: string) => Promise<void>): Promise<void> {
  await withDirectory(async (dataDir) => {
    const blobs = new FileBlobStore(dataDir, nodeFileSystem);
    const open = (): SessionFactsFiles => new SessionFactsFiles(dataDir, nodeFileSystem, (directory) => blobs.ensureDirectory(directory));
    await open().write(FACTS);
    await work(open, path.join(dataDir, "contexts/session/metadata.json"));
  });
}

async function all(files: SessionFactsFiles): Promise<readonly SessionFacts[]> {
  const facts: SessionFacts[] = [];
  for await (const each of files.readAll()) facts.push(each);
  return facts;
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const spoilt = Buffer.from(bytes);
  spoilt[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return spoilt;
}

describe("a session's file", () => {
  it("is read back unchanged", () =>
    withFiles(async (open) => {
      expect(await all(open())).toEqual([FACTS]);
    }));

  it("is read without a check, as the first version wrote it", () =>
    withFiles(async (open, file) => {
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/ {2}"check": .*\n/, ""));
      expect(await all(open())).toEqual([FACTS]);
    }));

  it("is skipped with any one bit flipped, or still reads as written", () =>
    withFiles(async (open, file) => {
      const whole = fs.readFileSync(file);
      for (let bit = 0; bit < whole.length * 8; bit++) {
        fs.writeFileSync(file, flipped(whole, bit));
        expect([[], [FACTS]], `with bit ${bit} flipped`).toContainEqual(await all(open()));
      }
      const inPin = whole.indexOf("plan") * 8;
      fs.writeFileSync(file, flipped(whole, inPin));
      expect(await all(open())).toEqual([]);
    }));

  it("is kept when a version that cannot read it replaces it", () =>
    withFiles(async (open, file) => {
      const whole = fs.readFileSync(file);
      for (const [index, name] of [".damaged", ".damaged.1"].entries()) {
        const spoilt = flipped(whole, whole.indexOf("plan") * 8 + index);
        fs.writeFileSync(file, spoilt);
        const files = open();
        await files.write(FACTS);
        await files.write(FACTS);
        expect(fs.readFileSync(file + name)).toEqual(spoilt);
        expect(await all(open())).toEqual([FACTS]);
      }
      expect(fs.readdirSync(path.dirname(file)).toSorted()).toEqual(["metadata.json", "metadata.json.damaged", "metadata.json.damaged.1"]);
    }));
});

import fs from "node:fs";
import path from "node:path";
import { constants, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../src/config/read-configuration.ts";
import { restoreBackup } from "../src/restore-backup.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";

const LEVELS = 100_000;
/** Deeper than any program's stack allows. */
const DEEP = `${'{"a":['.repeat(LEVELS)}${"]}".repeat(LEVELS)}`;
/** Unfolds to 600 MB: compressed blocks that are flushed may be repeated. */
const BOMB = bomb();

function bomb(): Uint8Array {
  const [spaces, flushed] = [Buffer.alloc(1_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH }];
  return Buffer.concat([gzipSync(spaces, flushed), ...Array<Buffer>(599).fill(deflateRawSync(spaces, flushed))]);
}

/** Creates a store with one good checkpoint and one whose file holds the given bytes. */
async function withBlob(bytes: Uint8Array, test: (place: Place) => Promise<void>): Promise<void> {
  await onDisk(async (place) => {
    const store = await place.open();
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "good", context: { step: 1 } });
    const { blobPath } = await store.saveCheckpoint({ sessionId: "s", checkpointId: "bad", context: { step: 2 } });
    await store.close();
    fs.writeFileSync(path.join(place.dataDir, blobPath), bytes);
    await test(place);
  });
}

describe("a malicious file", () => {
  it.each([
    ["unfolds to gigabytes", BOMB],
    ["is nested too deeply", gzipSync(`{"workrail":1}\n${DEEP}`)],
    ["is nested too deeply before anything else", gzipSync(DEEP)],
  ])("as a checkpoint that %s counts as damaged, and the one before it is loaded", (_what, bytes) =>
    withBlob(bytes, async (place) => {
      await using store = await place.open();
      const before = process.memoryUsage().rss;
      expect((await refusalOf(store.loadCheckpoint({ checkpointId: "bad" }))).code).toMatch(/^(CHECKPOINT_CORRUPT|TOO_LARGE)$/);
      expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
      expect((await store.loadCheckpoint({ checkpointId: "good" })).context).toEqual({ step: 1 });
      expect((await store.verifyStore()).findings).toMatchObject([{ checkpointId: "bad" }]);
    }),
  );

  it("as a checkpoint does not prevent a rebuild of the others", () =>
    withBlob(BOMB, async (place) => {
      place.loseCatalog();
      await using store = await place.open();
      expect((await store.loadCheckpoint({ checkpointId: "good" })).context).toEqual({ step: 1 });
    }));

  it.each(["[".repeat(200_000), DEEP.slice(0, 250_000), '{"maxDepth":'.repeat(15_000)])(
    "as config.json is reported, whatever its depth (%#)",
    (text) =>
      onDisk(async (place) => {
        fs.mkdirSync(place.dataDir);
        fs.writeFileSync(path.join(place.dataDir, "config.json"), text);
        const { issues } = readConfiguration({ env: {}, dataDir: place.dataDir });
        expect(issues).toMatchObject([{ severity: "error", message: expect.stringMatching(/\(.*config\.json.*\)\.$/) }]);
        expect((await refusalOf(place.open())).code).toBe("INVALID_INPUT");
      }),
  );

  it("as an export is refused whole", () =>
    onDisk(async (place) => {
      await using store = await place.open();
      const file = path.join(path.dirname(place.dataDir), "export.json");
      for (const text of [DEEP, "[".repeat(1_000_000), `{"workrailExport":1,"session":${DEEP}}`]) {
        fs.writeFileSync(file, text);
        expect((await refusalOf(store.importFile(file))).code).toBe("INVALID_INPUT");
      }
    }));

  it("as the list of a backup is refused", () =>
    onDisk(async (place) => {
      const backup = path.join(path.dirname(place.dataDir), "backup");
      fs.mkdirSync(backup);
      fs.writeFileSync(path.join(backup, "backup.json"), DEEP);
      expect((await refusalOf(restoreBackup(backup, { dataDir: place.dataDir, env: {} }))).code).toMatch(
        /^(INVALID_INPUT|CHECKPOINT_CORRUPT|UNSUPPORTED_VERSION)$/,
      );
    }));

  it.each([
    ["json", DEEP],
    ["json", "[".repeat(200_000)],
    ["yaml", "[".repeat(50_000)],
    // Each list contains the previous one nine times: expanded, hundreds of millions of values.
    [
      "yaml",
      Array.from("abcdefghi")
        .map(
          (name, at, all) =>
            `${name}: &${name} [${Array(9)
              .fill(at === 0 ? "x" : `*${all[at - 1]}`)
              .join()}]\n`,
        )
        .join(""),
    ],
  ])("as a project's rules (%s) causes a warning, and saves continue", (suffix, text) =>
    onDisk(async (place) => {
      const project = path.join(path.dirname(place.dataDir), "project");
      fs.mkdirSync(path.join(project, ".workrail"), { recursive: true });
      fs.writeFileSync(path.join(project, ".workrail", `context-rules.${suffix}`), text);
      await using store = await place.open({ project });
      const saved = await store.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      expect(saved).toMatchObject({ status: "SAVED", contextRulesWarning: expect.stringMatching(/\S/) });
    }),
  );
});

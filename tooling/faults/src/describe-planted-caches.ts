import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderOf, ForgedCache, type ForgedProgram } from "./forged-cache.ts";

const isRoot = process.getuid?.() === 0;
const MALLORY = 54_321;

/**
 * Directories that others may have written to before the program starts. `cache`: the user's cache directory; `shared`: the directory for
 * temporary files.
 */
interface Places {
  readonly home: string;
  readonly cache: string;
  /** The program's own directory in it. */
  readonly own: string;
  readonly shared: string;
  readonly forged: ForgedCache;
}

type Plant = (places: Places) => void;

/** Attacks by another user, besides creating files first in the shared directory. */
const PLANTED: readonly (readonly [string, Plant])[] = [
  ["nothing else", () => {}],
  ["a directory that everybody can write to", ({ own, forged }) => plantOpen(forged, own, 0o777)],
  ["a directory that everybody can write to and none can remove from", ({ own, forged }) => plantOpen(forged, own, 0o1777)],
  ["a directory that the group can write to", ({ own, forged }) => plantOpen(forged, own, 0o770)],
  [
    "a directory below one that everybody can write to",
    ({ cache, own, forged }) => {
      plantOpen(forged, own, 0o700);
      chmodSync(cache, 0o777);
    },
  ],
];

/** Attacks that only root can simulate: they need another user's files. */
const PLANTED_BY_OTHERS: readonly (readonly [string, Plant])[] = [
  [
    "a directory of their own",
    ({ own, forged }) => {
      plantOpen(forged, own, 0o700);
      chownSync(own, MALLORY, MALLORY);
    },
  ],
  [
    "a directory below one of their own",
    ({ cache, own, forged }) => {
      plantOpen(forged, own, 0o700);
      chownSync(path.join(cache, "workrail"), MALLORY, MALLORY);
    },
  ],
  [
    "a link of theirs to a directory of the user",
    ({ home, cache, own, forged }) => {
      plantOpen(forged, path.join(home, "elsewhere"), 0o700);
      mkdirSync(path.join(cache, "workrail"), { recursive: true });
      symlinkSync(path.join(home, "elsewhere"), own);
      lchownSync(own, MALLORY, MALLORY);
    },
  ],
];

function plantOpen(forged: ForgedCache, directory: string, mode: number): void {
  forged.plant(directory);
  chmodSync(directory, mode);
}

/** Tests that compiled code planted by others never runs. */
export function describePlantedCaches(bundle: () => Promise<string>, program: ForgedProgram): void {
  describe.skipIf(process.getuid === undefined)(`compiled code for ${program.loaded} (modes; not on Windows)`, () => {
    let place: string;
    let forged: ForgedCache;

    beforeAll(async () => {
      place = realpathSync(mkdtempSync(path.join(tmpdir(), "workrail-planted-")));
      forged = new ForgedCache(await bundle(), program, place);
    });
    afterAll(() => rmSync(place, { recursive: true, force: true }));

    function attack(plant: Plant): { readonly ran: boolean; readonly own: string; readonly shared: string } {
      const home = mkdtempSync(path.join(place, "home-"));
      const [cache, shared] = [path.join(home, "caches"), path.join(home, "shared")];
      const own = path.join(cache, folderOf(program));
      for (const directory of [cache, shared]) mkdirSync(directory);
      forged.plant(path.join(shared, "node-compile-cache"));
      chmodSync(shared, 0o1777);
      plant({ home, cache, own, shared, forged });
      const env = { HOME: home, XDG_CACHE_HOME: cache, TMPDIR: shared, WORKRAIL_DATA_DIR: path.join(home, "data") };
      return { ran: forged.run(env), own, shared };
    }

    it("would run from a directory of the user's own, which proves that the forgery works", () => {
      expect(attack(({ own, forged: code }) => plantOpen(code, own, 0o700)).ran).toBe(true);
    });

    it.each(PLANTED)("never runs when others planted it in the shared directory, and %s", (_name, plant) => {
      expect(attack(plant).ran).toBe(false);
    });

    it.skipIf(!isRoot).each(PLANTED_BY_OTHERS)("(another user; only as root) never runs when others planted %s", (_name, plant) => {
      expect(attack(plant).ran).toBe(false);
    });

    it("is kept in a directory of the user's own, and nothing is written to the shared one", () => {
      const { own, shared } = attack(({ shared: directory }) => rmSync(path.join(directory, "node-compile-cache"), { recursive: true }));
      expect(readdirSync(own).length).toBeGreaterThan(0);
      expect(readdirSync(shared)).toEqual([]);
    });

    it("is not kept where there is no such directory, and the program runs", () => {
      const home = path.join(place, "file");
      expect(forged.run({ HOME: "/dev/null", XDG_CACHE_HOME: "/dev/null", TMPDIR: place, WORKRAIL_DATA_DIR: home })).toBe(false);
      expect(existsSync(path.join(place, "node-compile-cache"))).toBe(false);
    });
  });
}

import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../test/with-directory.ts";
import { makePrivateDirectory, temporaryPlace, userCacheDirectory } from "./private-place.ts";

const isPosix = process.getuid !== undefined;
const isRoot = process.getuid?.() === 0;
const MALLORY = 54_321;

function withPlace(work: (place: string) => void): Promise<void> {
  return withDirectory((directory) => work(fs.realpathSync(directory)));
}

describe.skipIf(!isPosix)("a private directory (modes; not on Windows)", () => {
  it("is made with those above it, owner-only, and found again", () =>
    withPlace((place) => {
      const wanted = path.join(place, "a", "b");
      expect([makePrivateDirectory(wanted), makePrivateDirectory(wanted)]).toEqual([wanted, wanted]);
      expect([wanted, path.dirname(wanted)].map((each) => fs.statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
    }));

  it("is returned by its real path when a link of this user leads to it", () =>
    withPlace((place) => {
      fs.mkdirSync(path.join(place, "real"));
      fs.symlinkSync("real", path.join(place, "link"));
      fs.symlinkSync(path.join(place, "link"), path.join(place, "other"));
      expect(makePrivateDirectory(path.join(place, "other", "a"))).toBe(path.join(place, "real", "a"));
    }));

  it.each([0o777, 0o770, 0o750, 0o701, 0o1777])("is refused with the mode %o", (mode) =>
    withPlace((place) => {
      const wanted = path.join(place, "a");
      fs.mkdirSync(wanted);
      fs.chmodSync(wanted, mode);
      expect(makePrivateDirectory(wanted)).toBeUndefined();
      expect(fs.statSync(wanted).mode & 0o7777).toBe(mode);
    }),
  );

  it.each([0o777, 0o775, 0o722])("is refused and not created below a directory with the mode %o", (mode) =>
    withPlace((place) => {
      fs.mkdirSync(path.join(place, "open"));
      fs.chmodSync(path.join(place, "open"), mode);
      expect(makePrivateDirectory(path.join(place, "open", "a"))).toBeUndefined();
      expect(fs.readdirSync(path.join(place, "open"))).toEqual([]);
    }),
  );

  it("is created below a shared directory whose sticky bit protects it", () =>
    withPlace((place) => {
      fs.mkdirSync(path.join(place, "shared"));
      fs.chmodSync(path.join(place, "shared"), 0o1777);
      expect(makePrivateDirectory(path.join(place, "shared", "a"))).toBe(path.join(place, "shared", "a"));
    }));

  it("is refused when a link loop, a file or a broken link is on the path", () =>
    withPlace((place) => {
      fs.symlinkSync("loop", path.join(place, "loop"));
      fs.writeFileSync(path.join(place, "file"), "");
      fs.symlinkSync("nowhere", path.join(place, "broken"));
      for (const name of ["loop", "file", "broken"]) {
        const wanted = [path.join(place, name), path.join(place, name, "a")];
        expect(wanted.map((each) => makePrivateDirectory(each))).toEqual(
          name === "broken" ? [path.join(place, "nowhere"), path.join(place, "nowhere", "a")] : [undefined, undefined],
        );
      }
    }));

  it.skipIf(!isRoot)("(another user; only as root) is refused where it, a directory above it or a link belongs to another user", () =>
    withPlace((place) => {
      fs.mkdirSync(path.join(place, "theirs", "a"), { recursive: true, mode: 0o700 });
      fs.mkdirSync(path.join(place, "ours"), { mode: 0o700 });
      fs.symlinkSync("ours", path.join(place, "link"));
      fs.chownSync(path.join(place, "theirs"), MALLORY, MALLORY);
      fs.lchownSync(path.join(place, "link"), MALLORY, MALLORY);
      const wanted = ["theirs", "theirs/a", "link", "link/a"];
      expect(wanted.map((each) => makePrivateDirectory(path.join(place, each)))).toEqual(wanted.map(() => undefined));
      expect(fs.readdirSync(path.join(place, "ours"))).toEqual([]);
    }),
  );
});

describe("the place for temporary files", () => {
  it.skipIf(!isPosix)("(modes; not on Windows) is the system's, unless other users could replace its content", () =>
    withPlace((place) => {
      const [shared, cache] = [path.join(place, "shared"), path.join(place, "cache")];
      fs.mkdirSync(shared);
      const before = { TMPDIR: process.env["TMPDIR"], XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"], HOME: process.env["HOME"] };
      try {
        Object.assign(process.env, { TMPDIR: shared, XDG_CACHE_HOME: cache, HOME: place });
        fs.chmodSync(shared, 0o1777);
        expect(temporaryPlace()).toBe(shared);
        fs.chmodSync(shared, 0o777);
        expect(temporaryPlace()).toBe(path.join(userCacheDirectory(), "temporary"));
      } finally {
        for (const [name, value] of Object.entries(before)) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      }
    }),
  );
});

describe("the user's directory for caches", () => {
  it("is the platform's, and ignores a relative path", () => {
    const absolute = path.resolve("/caches");
    expect(userCacheDirectory({ XDG_CACHE_HOME: absolute }, "linux")).toBe(path.join(absolute, "workrail"));
    expect(userCacheDirectory({ XDG_CACHE_HOME: "caches" }, "linux")).toMatch(/\.cache.workrail$/u);
    expect(userCacheDirectory({ LOCALAPPDATA: absolute }, "win32")).toBe(path.join(absolute, "workrail"));
    expect(userCacheDirectory({}, "darwin")).toMatch(/Caches.workrail$/u);
  });
});

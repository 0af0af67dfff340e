import { describe, expect, it } from "vitest";
import { workspacePackages } from "./workspace.ts";

const ADAPTERS = [
  "@workrail/blobs-s3",
  "@workrail/classifier",
  "@workrail/codecs",
  "@workrail/files-catalog",
  "@workrail/host-transcripts",
  "@workrail/http-condenser",
  "@workrail/http-embedder",
  "@workrail/keychain-crypto",
  "@workrail/memory",
  "@workrail/o200k",
  "@workrail/postgres",
  "@workrail/search-minisearch",
  "@workrail/secrets",
  "@workrail/sqlite-fs",
  "@workrail/transcripts",
  "@workrail/transfer",
  "@workrail/views",
  "@workrail/wrappers",
];

/** Allowed run-time dependencies of each package. A package missing here has no assigned place yet. */
const MAY_KNOW: Readonly<Record<string, readonly string[]>> = {
  "@workrail/core": [],
  "@workrail/classifier": ["@workrail/core"],
  "@workrail/codecs": ["@workrail/core"],
  "@workrail/http-endpoint": ["@workrail/core"],
  "@workrail/http-condenser": ["@workrail/core", "@workrail/http-endpoint"],
  "@workrail/http-embedder": ["@workrail/core", "@workrail/http-endpoint"],
  "@workrail/keychain-crypto": ["@workrail/core"],
  "@workrail/kv-storage": ["@workrail/core"],
  "@workrail/memory": ["@workrail/core"],
  "@workrail/o200k": [],
  "@workrail/postgres": ["@workrail/core", "@workrail/blob-files", "@workrail/search"],
  "@workrail/search": ["@workrail/core"],
  "@workrail/search-minisearch": ["@workrail/core", "@workrail/search"],
  "@workrail/secrets": ["@workrail/core"],
  "@workrail/blob-files": ["@workrail/core"],
  "@workrail/blobs-s3": ["@workrail/core", "@workrail/http-endpoint"],
  "@workrail/files-catalog": ["@workrail/core", "@workrail/blob-files", "@workrail/wrappers"],
  "@workrail/sqlite-fs": ["@workrail/core", "@workrail/blob-files", "@workrail/search", "@workrail/wrappers"],
  "@workrail/transfer": ["@workrail/core"],
  "@workrail/views": ["@workrail/core"],
  "@workrail/wrappers": ["@workrail/core"],
  "@workrail/transcripts": ["@workrail/core", "@workrail/blob-files"],
  "@workrail/host-transcripts": ["@workrail/core", "@workrail/blob-files"],
  "@workrail/host-setup": ["@workrail/core", "@workrail/blob-files"],
  "@workrail/foreign-memories": ["@workrail/core", "@workrail/blob-files"],
  "@workrail/storage-conformance": ["@workrail/core"],
  "@workrail/runtime": ["@workrail/core", "@workrail/blob-files", "@workrail/search", ...ADAPTERS],
  "@workrail/langgraph": ["@workrail/core", "@workrail/runtime"],
  "@workrail/ai-sdk": ["@workrail/runtime"],
  "@workrail/process": ["@workrail/runtime"],
  "@workrail/schemas": ["@workrail/core", "@workrail/runtime"],
  "@workrail/timeline": ["@workrail/core", "@workrail/runtime"],
  // The server's package includes the command line.
  "@workrail/mcp-server": [
    "@workrail/core",
    "@workrail/runtime",
    "@workrail/process",
    "@workrail/schemas",
    "@workrail/timeline",
    "@workrail/cli",
  ],
  "@workrail/cli": [
    "@workrail/core",
    "@workrail/runtime",
    "@workrail/process",
    "@workrail/schemas",
    "@workrail/timeline",
    "@workrail/host-setup",
    "@workrail/host-transcripts",
    "@workrail/foreign-memories",
  ],
};

/**
 * Additional packages for tests: those of an adapter run the conformance kit, those of a wrapper use the simplest storage and one that processes share, those of views use the default parts, those of sqlite-fs back a store up, those of an HTTP
 * client start an endpoint, those of a package for a framework use every storage, and those of an app bundle it and surround it with faults.
 */
const TESTS_MAY_KNOW = [
  "@workrail/storage-conformance",
  "@workrail/memory",
  "@workrail/postgres",
  "@workrail/classifier",
  "@workrail/secrets",
  "@workrail/transfer",
  "@workrail/http-endpoint",
  "@workrail/bundle",
  "@workrail/programs",
  "@workrail/faults",
  "@workrail/s3-server",
  "@workrail/sqlite-fs",
  "@workrail/wrappers",
];

const CONTAINER = ["tsyringe", "reflect-metadata"];

const layered = workspacePackages().filter(({ folder }) => /^(packages|apps)\//.test(folder));

describe("layers", () => {
  it.each(layered.map((found) => [found.manifest.name, found] as const))(
    "%s depends only on what lies below it",
    (name, { folder, manifest }) => {
      const allowed = MAY_KNOW[name];
      expect(allowed, `${folder} needs a line in MAY_KNOW`).toBeDefined();
      const needed = workrail(manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies);
      expect(needed.filter((other) => !allowed?.includes(other))).toEqual([]);
      const wanted = workrail(manifest.devDependencies);
      expect(wanted.filter((other) => !allowed?.includes(other) && !TESTS_MAY_KNOW.includes(other))).toEqual([]);
    },
  );

  it("leaves core without any dependency", () => {
    const core = layered.find(({ manifest }) => manifest.name === "@workrail/core")?.manifest;
    expect([core?.dependencies, core?.peerDependencies, core?.optionalDependencies]).toEqual([undefined, undefined, undefined]);
  });

  it("lets only runtime import the container", () => {
    const users = workspacePackages().filter(({ manifest }) =>
      CONTAINER.some((name) =>
        [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies].some((ranges) => ranges?.[name] !== undefined),
      ),
    );
    expect(users.map(({ manifest }) => manifest.name)).toEqual(["@workrail/runtime"]);
  });
});

function workrail(...ranges: readonly (Readonly<Record<string, string>> | undefined)[]): readonly string[] {
  return ranges.flatMap((range) => Object.keys(range ?? {})).filter((name) => name.startsWith("@workrail/"));
}

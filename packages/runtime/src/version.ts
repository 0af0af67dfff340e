import manifest from "../package.json" with { type: "json" };

/** This package's version, stored in each checkpoint that it writes. */
export const VERSION: string = manifest.version;

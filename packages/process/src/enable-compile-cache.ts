import module from "node:module";
import path from "node:path";
import { makePrivateDirectory, userCacheDirectory } from "@workrail/runtime";

/**
 * Enables Node's compile cache in a directory that no other user can write to or replace, because the cache holds code that runs. Without
 * such a directory the cache stays off. Node's default is the shared directory for temporary files, where anybody can create files first.
 */
export function enableCompileCache(): void {
  if (module.enableCompileCache === undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] === "1") return;
  // The directory of NODE_COMPILE_CACHE is already in use.
  if (module.getCompileCacheDir() !== undefined) return;
  const directory = makePrivateDirectory(path.join(userCacheDirectory(), "compiled"));
  if (directory !== undefined) module.enableCompileCache(directory);
}

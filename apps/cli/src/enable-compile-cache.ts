import module from "node:module";
import path from "node:path";
import { makePrivateDirectory, userCacheDirectory } from "@workrail/runtime";

/**
 * Has Node keep compiled code, in a directory that no other user can write to or replace: it is code that runs. Without such a
 * directory none is kept. By default Node takes the shared directory for temporary files, where anybody can be there first.
 */
export function enableCompileCache(): void {
  if (module.enableCompileCache === undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] === "1") return;
  // A directory in NODE_COMPILE_CACHE is in use already.
  if (module.getCompileCacheDir() !== undefined) return;
  const directory = makePrivateDirectory(path.join(userCacheDirectory(), "compiled"));
  if (directory !== undefined) module.enableCompileCache(directory);
}

export { bundleOnce, type Bundled } from "./bundle-once.ts";
export {
  compileCacheBundle,
  external,
  inFewFiles,
  lightBundle,
  quickToLoad,
  resolve,
  withoutPrograms,
  withoutWhitespace,
} from "./bundle-parts.ts";

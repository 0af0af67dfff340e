export { bundleOnce, type Bundled } from "./bundle-once.ts";
export { bundleProgram } from "./bundle-program.ts";

export { type App, bundleApp } from "./bundle-app.ts";
export { bundleOnce, type Bundled } from "./bundle-once.ts";
export { bundleProgram } from "./bundle-program.ts";

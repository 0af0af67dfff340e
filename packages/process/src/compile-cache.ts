import { enableCompileCache } from "./enable-compile-cache.ts";

enableCompileCache();

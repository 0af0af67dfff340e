// Suite that `broken-storages.test.ts` runs and expects to fail.
import { configureGlobal } from "fast-check";
import { describeStorage } from "../src/index.ts";
import { BROKEN_STORAGES, harnessOf } from "./broken-storages.ts";

// Shrinking is off: these counterexamples are not read.
configureGlobal({ endOnFailure: true });
const options = { runs: 60, kills: 3 };

for (const key of ["sound", ...Object.keys(BROKEN_STORAGES)]) describeStorage(harnessOf(key), options);

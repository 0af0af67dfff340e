import { configureGlobal } from "fast-check";
import { completeOptions } from "../src/options.ts";

// A property that failed fails again, and one that holds today holds tomorrow: `npm run test:faults` looks further, from another seed each time.
configureGlobal({ seed: completeOptions().seed });

import { configureGlobal } from "fast-check";
import { completeOptions } from "../src/options.ts";

// A fixed seed makes results reproducible. `npm run test:faults` uses another seed each time.
configureGlobal({ seed: completeOptions().seed });

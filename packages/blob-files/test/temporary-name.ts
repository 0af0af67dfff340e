import { temporaryName } from "../src/durable-files.ts";

/** Prints the name of a temporary file of this process. */
process.stdout.write(temporaryName(""));

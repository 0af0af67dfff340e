import { temporaryName } from "../src/durable-files.ts";

/** Tells how a process calls its temporary files. */
process.stdout.write(temporaryName(""));

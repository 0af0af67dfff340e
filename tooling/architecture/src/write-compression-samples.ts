/** Writes the current results of compressing the sample contexts into their page. Run it with `node --conditions=@workrail/source`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLES_PAGE, sampleSection } from "./compression-samples.ts";
import { readPage, sectionOf } from "./markdown.ts";
import { ROOT } from "./workspace.ts";

const path = join(ROOT, SAMPLES_PAGE);
const before = sectionOf(readPage(SAMPLES_PAGE), "## Ten samples");
const after = await sampleSection();
writeFileSync(
  path,
  readFileSync(path, "utf8").replace(`## Ten samples\n${before}`, () => `## Ten samples\n${after}`.trimEnd() + "\n"),
);

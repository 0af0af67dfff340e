// Writes the table of tokens anew. Run it with `node --conditions=@workrail/source` after the encoding changes.
import { writeFileSync } from "node:fs";
import { tableFile } from "./table-file.ts";
import { tokensOfO200k } from "./tokens-of-o200k.ts";

writeFileSync(new URL("../src/o200k.bin", import.meta.url), tableFile(tokensOfO200k()));

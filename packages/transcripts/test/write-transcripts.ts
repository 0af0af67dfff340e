import { FileTranscripts } from "../src/file-transcripts.ts";

// A process of its own that writes as many transcripts as it is told, all under the same names, and says under which it got them.
const [directory = "", who = "", count = ""] = process.argv.slice(2);
const names = ["topic.md", ...Array.from({ length: 1_000 }, (_, index) => `topic-${index + 1}.md`)];
const transcripts = new FileTranscripts({ directory });
for (let number = 0; number < Number(count); number++) {
  const { filename } = await transcripts.write({ folders: ["a", "b"], names, text: `${who} ${number}` });
  process.stdout.write(`${filename} ${who} ${number}\n`);
}

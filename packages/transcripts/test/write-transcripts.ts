import { FileTranscripts } from "../src/file-transcripts.ts";

// Child process that writes the given number of transcripts under the same names, and prints the name each one got.
const [directory = "", who = "", count = ""] = process.argv.slice(2);
const names = ["topic.md", ...Array.from({ length: 1_000 }, (_, index) => `topic-${index + 1}.md`)];
const transcripts = new FileTranscripts({ directory });
for (let number = 0; number < Number(count); number++) {
  const { filename } = await transcripts.write({ folders: ["a", "b"], names, text: `${who} ${number}` });
  process.stdout.write(`${filename} ${who} ${number}\n`);
}

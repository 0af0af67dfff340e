// Minimal server on standard input and output: parses each line, and answers with a message of the requested length.
let rest = [];

process.stdin.on("data", (chunk) => {
  let start = 0;
  for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
    rest.push(chunk.subarray(start, end));
    answer(JSON.parse(Buffer.concat(rest).toString()));
    rest = [];
    start = end + 1;
  }
  if (start < chunk.length) rest.push(chunk.subarray(start));
});

function answer({ id, params }) {
  if (id === undefined) return;
  const text = "x".repeat(params?._meta?.answerCharacters ?? 0);
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { text } })}\n`);
}

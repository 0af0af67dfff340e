/** A host that does not close standard input is waited for no longer. */
const INPUT_MS = 400;
const MOST_INPUT_CHARACTERS = 16 * 1024 * 1024;

/** The text that a host sends on standard input; empty on a terminal. */
export async function readInput(): Promise<string> {
  if (process.stdin.isTTY) return "";
  return new Promise((resolve) => {
    let text = "";
    const done = (): void => {
      clearTimeout(timer);
      process.stdin.pause();
      resolve(text);
    };
    const timer = setTimeout(done, INPUT_MS);
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MOST_INPUT_CHARACTERS) done();
    });
    process.stdin.on("end", done);
    process.stdin.on("error", done);
  });
}

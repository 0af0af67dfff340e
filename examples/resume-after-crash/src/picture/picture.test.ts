import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { bundleServer } from "../../../../apps/mcp-server/src/testing/bundle.ts";
import { drawTerminal } from "./draw-terminal.ts";
import { recordStory, STEPS } from "./record-story.ts";

const PICTURE = fileURLToPath(new URL("../../../../docs/resume-after-crash.svg", import.meta.url));
const TITLE = "A terminal: an agent saves two checkpoints, its server is killed, and a new agent resumes with the state saved last.";

/** The README shows the picture. `npm test -- examples/resume-after-crash/src/picture --update` draws it again. */
it("the picture shows the current answers of the server and the command line", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "workrail-picture-"));
  try {
    const { lines, resumed } = await recordStory(dataDir, join(await bundleServer(), "workrail-mcp.mjs"));
    expect(resumed).toEqual(STEPS.at(-1)?.context);
    await expect(drawTerminal(TITLE, lines)).toMatchFileSnapshot(PICTURE);
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
});

it("the picture needs no file and no font from elsewhere", () => {
  const svg = drawTerminal("a < b", [{ kind: "output", text: "  <1> & 2" }]);
  expect(svg).toContain("<title>a &lt; b</title>");
  expect(svg).toContain('xml:space="preserve">  &lt;1&gt; &amp; 2</text>');
  expect(svg.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|@import|url\(|href/u);
});

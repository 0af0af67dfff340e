import { editing, planning, reading, running, saying, type Scenario, writing } from "../scenario.ts";

const QUEUE = `/** Runs jobs of one key one after the other, and jobs of different keys side by side. */
export class KeyedQueue {
  #tails = new Map<string, Promise<void>>();

  push(key: string, job: () => Promise<void>): Promise<void> {
    const tail = this.#tails.get(key) ?? Promise.resolve();
    const next = tail.then(job);
    this.#tails.set(key, next);
    next.finally(() => this.#tails.delete(key)).catch(() => {});
    return next;
  }

  get keys(): number {
    return this.#tails.size;
  }
}
`;

const DELAYS = `/** Delays that look random and are the same for the same seed. */
export function delays(seed: number): () => Promise<void> {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return new Promise((resolve) => setTimeout(resolve, state % 7));
  };
}
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedQueue } from "../src/keyed-queue.ts";
import { delays } from "./delays.ts";

const seed = Number(process.env.SEED ?? 1);

test("keeps the order of one key", async () => {
  const queue = new KeyedQueue();
  const pause = delays(seed);
  const seen: number[] = [];
  for (const number of [1, 2, 3]) {
    await pause();
    void queue.push("a", async () => {
      await pause();
      seen.push(number);
    });
  }
  await queue.push("a", async () => {});
  assert.deepEqual(seen, [1, 2, 3]);
});

test("goes on after a job that failed", async () => {
  const queue = new KeyedQueue();
  await queue.push("a", () => Promise.reject(new Error("boom"))).catch(() => {});
  await queue.push("a", async () => {});
  assert.equal(queue.keys, 0);
});
`;

const LOOP = `for seed in 1 2 3 4 5 6 7 8; do SEED=$seed node --test test/queue.test.ts >/tmp/out.$$ 2>&1 && echo "seed $seed ok" || { echo "seed $seed FAILED"; grep -m1 -A3 'AssertionError\\|Error:' /tmp/out.$$; }; done; rm -f /tmp/out.$$`;

/** A log as people paste it: mostly noise. */
const PASTED_LOG = [
  "2026-11-23T02:14:07Z ##[group]Run npm test",
  "2026-11-23T02:14:07Z npm test",
  "2026-11-23T02:14:07Z shell: /usr/bin/bash -e {0}",
  "2026-11-23T02:14:07Z ##[endgroup]",
  ...Array.from(
    { length: 46 },
    (_, index) =>
      `2026-11-23T02:14:${String(8 + (index % 40)).padStart(2, "0")}Z   ✔ case ${index + 1} of the table (${(index % 9) + 0.5}ms)`,
  ),
  "2026-11-23T02:14:49Z   ✖ goes on after a job that failed (3.1ms)",
  "2026-11-23T02:14:49Z     AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
  "2026-11-23T02:14:49Z     1 !== 0",
  "2026-11-23T02:14:49Z         at TestContext.<anonymous> (file:///home/runner/work/jobs/jobs/test/queue.test.ts:28:10)",
  "2026-11-23T02:14:50Z npm error code 1",
  "2026-11-23T02:14:50Z ##[error]Process completed with exit code 1.",
].join("\n");

export const flakyQueue: Scenario = {
  name: "flaky-queue",
  about: "Investigation of a flaky test with a long pasted log. Ends with a cause, two ways out and a question to the person.",
  hosts: ["claude-code"],
  files: {
    "package.json":
      '{\n  "name": "jobs",\n  "private": true,\n  "type": "module",\n  "scripts": { "test": "node --test test/*.test.ts" }\n}\n',
    "src/keyed-queue.ts": QUEUE,
    "test/delays.ts": DELAYS,
    "test/queue.test.ts": TEST,
    "docs/queue.md": "# The queue\n\nJobs of one key run one after the other. `keys` is the number of keys with work left.\n",
  },
  before: [
    {
      prompt: `queue.test.ts is flaky on CI, locally it is fine for me. I want to know the CAUSE, not a workaround: no retries, no longer timeouts, no sleeps in the test. Log of tonight:

${PASTED_LOG}`,
      turns: [
        planning("> Reproduce", "- Find the cause", "- Say what could be done"),
        reading("src/keyed-queue.ts", "test/queue.test.ts", "test/delays.ts"),
        running("npm test"),
        running(LOOP, "One run says nothing about a flaky test. The delays depend on SEED, so I go through several."),
        {
          text: "Hypothesis 1: the order breaks when `finally` of an older job deletes the tail of a newer one. I print who deletes what, in a scratch file, not in src.",
          calls: [
            {
              tool: "write",
              path: "scratch/trace.ts",
              content: `import { KeyedQueue } from "../src/keyed-queue.ts";

const queue = new KeyedQueue();
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const seen: string[] = [];
void queue.push("a", async () => { await wait(1); seen.push("first"); });
void queue.push("a", async () => { await wait(20); seen.push("second"); });
await wait(8);
console.log("keys while the second job runs:", queue.keys);
await queue.push("a", async () => { seen.push("third"); });
console.log(seen.join(" "));
`,
            },
          ],
        },
        running("node scratch/trace.ts"),
        saying(
          "Reproduced without CI: while the second job runs, `keys` is already 0, and a third job overtakes it (first third). Cause: `finally` in src/keyed-queue.ts deletes the entry of the key although a newer tail has taken its place. On a slow machine the gap is longer, hence CI. Shall I go deeper into the case of the log (1 !== 0)? That one is `goes on after a job that failed`, another symptom, maybe another cause.",
        ),
      ],
    },
    {
      prompt: "yes, the 1 !== 0 one. and don't touch src/keyed-queue.ts yet, Ines is changing the same file in her branch",
      turns: [
        planning("x Reproduce", "> Find the cause", "- Say what could be done", "- The case of the log: 1 !== 0"),
        running("git log --oneline --all -- src/keyed-queue.ts", "Whether the branch is here."),
        {
          text: "Not here. So I look at a failing job by itself, with one behind it.",
          calls: [
            {
              tool: "write",
              path: "scratch/after-failure.ts",
              content: `import { KeyedQueue } from "../src/keyed-queue.ts";

const queue = new KeyedQueue();
const first = queue.push("a", () => Promise.reject(new Error("boom")));
const second = queue.push("a", async () => console.log("the second job ran"));
const ends = await Promise.allSettled([first, second]);
console.log("first:", ends[0].status, "second:", ends[1].status, "keys:", queue.keys);
`,
            },
          ],
        },
        running("node scratch/after-failure.ts"),
        {
          text: "A job behind a failed one never runs: the rejection of the tail passes through `then(job)`. I try the failing line of the log many times over before I blame the same cause for it.",
          calls: [
            {
              tool: "shell",
              command:
                "for i in $(seq 1 15); do node --test --test-name-pattern='goes on' test/queue.test.ts | grep -c '✖'; done | sort | uniq -c",
            },
          ],
        },
        reading("docs/queue.md"),
        {
          text: "15 runs, no failure. So 1 !== 0 of the log is not reproduced, and I do not claim it. I decided against a test that counts microtasks: their number is an accident of the engine, and docs/queue.md promises nothing about when a key leaves.",
          calls: [
            {
              tool: "write",
              path: "docs/flaky-queue.md",
              content: `# Why queue.test.ts is flaky

1. Found: \`finally\` deletes the key although a newer job has taken the tail. Order is lost.
2. Found: a job behind a failed one never runs.
3. Not reproduced: 1 !== 0 in \`goes on after a job that failed\`, 15 runs. It fits 1, if the delete comes late.
`,
            },
          ],
        },
        running("git status --short"),
        planning("x Reproduce", "x Find the cause", "> Say what could be done", "x The case of the log: 1 !== 0"),
        saying(
          "Findings are in docs/flaky-queue.md; src/keyed-queue.ts is unchanged. Ways out: (a) delete the key only if its tail is still ours, and catch in the same chain; (b) keep keys forever and count running jobs instead. I would take (a), three lines. Open question, for Ines and you: does the queue promise an order after a failed job, or may it drop the rest of the key? docs/queue.md does not say, and (a) looks different for each. Next step once that is answered: write the fix as a patch file scratch/keyed-queue.patch for Ines' branch, check it with SEED=1 to 8.",
        ),
      ],
    },
  ],
  after: [
    {
      prompt: "order stays, the rest of the key goes on. make the patch",
      turns: [
        reading("src/keyed-queue.ts"),
        running("mkdir -p scratch/src && cp src/keyed-queue.ts scratch/src/keyed-queue.ts"),
        reading("scratch/src/keyed-queue.ts"),
        editing("scratch/src/keyed-queue.ts", {
          old: "    const next = tail.then(job);\n    this.#tails.set(key, next);\n    next.finally(() => this.#tails.delete(key)).catch(() => {});",
          new: "    const next = tail.catch(() => {}).then(job);\n    this.#tails.set(key, next);\n    const leave = (): void => {\n      if (this.#tails.get(key) === next) this.#tails.delete(key);\n    };\n    next.then(leave, leave);",
        }),
        running("diff -u src/keyed-queue.ts scratch/src/keyed-queue.ts > scratch/keyed-queue.patch; wc -l < scratch/keyed-queue.patch"),
        running("sed 's#../src/#./src/#' scratch/trace.ts > scratch/trace-patched.ts && node scratch/trace-patched.ts"),
        writing(
          "docs/queue.md",
          "# The queue\n\nJobs of one key run one after the other, also after a job that failed. `keys` is the number of keys with work left.\n",
        ),
        running("git status --short"),
        saying("The patch is in scratch/keyed-queue.patch, src/keyed-queue.ts is as it was."),
      ],
    },
  ],
  questions: [
    { ask: "Which test file is flaky?", expect: "queue.test.ts" },
    { ask: "What is wanted: a workaround or something else?", expect: /cause/i },
    { ask: "What must not be used?", expect: /no retries|no sleeps|no longer timeouts/i },
    { ask: "Which file must not be touched yet?", expect: /src\/keyed-queue\.ts/ },
    { ask: "Because of whom?", expect: /Ines/ },
    { ask: "Which case failed on CI?", expect: /goes on after a job that failed/ },
    { ask: "With which message?", expect: /1 !== 0/ },
    { ask: "Where are the findings written?", expect: "docs/flaky-queue.md" },
    { ask: "Which question is open?", expect: /order after a failed job/i },
    { ask: "What is the next step?", expect: "scratch/keyed-queue.patch" },
  ],
};

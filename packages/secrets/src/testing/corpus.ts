import { RandomText } from "./random-text.ts";
import type { Sample, SampleKinds } from "./known-samples.ts";

/** Secret in the JSON text of an agent's context. */
export interface Planted {
  readonly kind: string;
  /** Secret as written in `text`. */
  readonly secret: string;
  readonly text: string;
}

/** Typical places of secrets in contexts: notes, commands, outputs, files. */
const CARRIERS: readonly ((sample: string) => unknown)[] = [
  (sample) => ({ value: sample }),
  (sample) => ({ notes: `Found this in the repository:\n${sample}\nIt should be rotated.` }),
  (sample) => ({ steps: [{ run: "cat config", output: `# settings\n${sample}\n# end` }] }),
  (sample) => ({ file: { path: "src/config.ts", text: `const config = {\n  "entry": "${sample}",\n};\n` } }),
  (sample) => ({ message: `the user pasted \`${sample}\` here` }),
  (sample) => ({ log: `\u001b[32m2026-03-01T10:00:00Z info\u001b[0m loaded ${sample}, going on` }),
  (sample) => ({ toolResult: JSON.stringify({ ok: true, body: `x\n${sample}` }) }),
  (sample) => ({ table: `| name | value |\n| --- | --- |\n| it | ${sample} |` }),
];

/** Puts each kind of secret into each kind of place. */
export function plant(kinds: SampleKinds, seed: number): readonly Planted[] {
  return Object.entries(kinds).flatMap(([kind, make], index) =>
    CARRIERS.map((carry, place) => {
      const sample = make(new RandomText(seed + index * 101 + place));
      return { kind, ...written(sample, carry) };
    }),
  );
}

function written({ secret, before = "", after = "" }: Sample, carry: (sample: string) => unknown): Omit<Planted, "kind"> {
  const text = JSON.stringify(carry(before + secret + after));
  // A secret may be escaped once or twice.
  const [once, twice] = [inJson(secret), inJson(inJson(secret))];
  return { text, secret: text.includes(twice) ? twice : once };
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

import { expect, it } from "vitest";
import { compressSample, readSamples, SAMPLES_PAGE, sampleSection } from "./compression-samples.ts";
import { readPage, sectionOf } from "./markdown.ts";

it("docs/explanation/compression.md shows what compressing makes of its samples; write-compression-samples.ts renews it", async () => {
  expect(readSamples().size).toBe(10);
  expect(sectionOf(readPage(SAMPLES_PAGE), "## Ten samples").trim()).toBe((await sampleSection()).trim());
});

it("the samples keep to their budgets", async () => {
  for (const [file, sample] of readSamples()) {
    const { tokensBefore, tokensAfter } = await compressSample(sample);
    expect(tokensBefore, file).toBeGreaterThan(sample.budgetTokens);
    expect(tokensAfter, file).toBeLessThanOrEqual(sample.budgetTokens);
  }
});

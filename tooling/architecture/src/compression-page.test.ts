import { expect, it } from "vitest";
import { compressSample, readSamples, SAMPLES_PAGE, sampleSection } from "./compression-samples.ts";
import { readPage, sectionOf } from "./markdown.ts";

it("docs/explanation/compression.md shows the compressed samples; write-compression-samples.ts renews them", async () => {
  expect(readSamples().size).toBe(10);
  expect(sectionOf(readPage(SAMPLES_PAGE), "## Ten samples").trim()).toBe((await sampleSection()).trim());
});

it("the samples stay within their budgets", async () => {
  for (const [file, sample] of readSamples()) {
    const { tokensBefore, tokensAfter } = await compressSample(sample);
    expect(tokensBefore, file).toBeGreaterThan(sample.budgetTokens);
    expect(tokensAfter, file).toBeLessThanOrEqual(sample.budgetTokens);
  }
});

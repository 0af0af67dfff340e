import { describe, expect, it } from "vitest";
import { synonymsOf } from "./synonyms.ts";
import { termOf } from "./terms.ts";

describe("synonyms", () => {
  it.each([
    ["login", "signin"],
    ["login", "auth"],
    ["bug", "defect"],
    ["error", "bug"],
    ["repo", "repository"],
    ["k8s", "kubernetes"],
  ])("are known both ways, in any form: %s and %s", (one, other) => {
    expect(synonymsOf(termOf(one))).toContain(termOf(other));
    expect(synonymsOf(termOf(other))).toContain(termOf(one));
    expect(synonymsOf(termOf(one))).not.toContain(termOf(one));
  });

  it("are none of other words", () => expect(synonymsOf("weathervan")).toEqual([]));
});

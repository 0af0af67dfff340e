import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locate, type Place, type Searched } from "./locate.ts";

const ABOUT: Omit<Searched, "query"> = {
  context: {
    goal: "Let customers use coupons.",
    findings: "The cart adds prices up.\nCoupons come before the ledger is written.",
    plan: [{ step: 'write "coupons" into the ledger', status: "open" }],
    conversation: [
      { role: "user", content: "Customers ask for vouchers." },
      { role: "assistant", content: [{ type: "text", text: "I look at the exports." }] },
    ],
  },
  name: "before the release",
  tags: ["green"],
  attributes: [{ name: "ticket", text: "SHOP-17" }],
};

function placeOf(query: string, snippet?: string): Place | undefined {
  const located = locate({ ...ABOUT, query, snippet });
  if (located === undefined) return undefined;
  const { text: _around, ...place } = located;
  return place;
}

describe("the place of searched words", () => {
  it("is the first match in the entry with the most of them", () => {
    expect(placeOf("ledger coupons cart")).toEqual({ in: "entry", key: "findings", at: 4, words: ["cart", "coupons", "ledger"] });
  });

  it("is the entry that the snippet is from", () => {
    expect(placeOf("coupons")).toMatchObject({ key: "goal", at: 18 });
    expect(placeOf("coupons", "…Coupons come before the…")).toMatchObject({ key: "findings", at: 25 });
    // A short snippet continues with other texts.
    expect(placeOf("green", "green … Let customers use coupons.")).toEqual({ in: "tags", words: ["green"] });
    // The texts of an object are escaped in its JSON.
    const inPlan = placeOf("coupons", 'write "coupons" into the ledger');
    expect(inPlan).toMatchObject({ in: "entry", key: "plan" });
    expect(JSON.stringify(ABOUT.context["plan"], undefined, 2).slice(inPlan?.at)).toMatch(/^coupons/u);
  });

  it("is the message of a conversation", () => {
    expect(placeOf("vouchers")).toEqual({ in: "conversation", at: 0, words: ["vouchers"] });
    expect(placeOf("exports")).toMatchObject({ in: "conversation", at: 1 });
  });

  it("is a key, the name, a tag or a field when no text has the words", () => {
    expect(placeOf("plan")).toEqual({ in: "entry", key: "plan", at: undefined, words: ["plan"] });
    expect(placeOf("release")).toEqual({ in: "name", words: ["release"] });
    expect(placeOf("green")).toEqual({ in: "tags", words: ["green"] });
    expect(placeOf("shop-17")).toEqual({ in: "metadata", key: "ticket", words: ["shop-17"] });
  });

  it("has the text around the words, cut between words", () => {
    const textOf = (query: string): string | undefined => locate({ ...ABOUT, query })?.text;
    expect(textOf("ledger cart")).toBe("The cart adds prices up. Coupons come before the ledger is written.");
    expect(textOf("vouchers")).toBe("Customers ask for vouchers.");
    expect(textOf("release")).toBe("before the release");
    const notes = `${"many other words ".repeat(20)}zebra${" and more words".repeat(20)}`;
    expect(locate({ context: { notes }, attributes: [], query: "zebra" })?.text).toMatch(
      /^…many other words many other words zebra and .{140,150}…$/u,
    );
  });

  it("is another form of a word when no text has the word itself", () => {
    expect(placeOf("exporting")).toMatchObject({ in: "conversation", at: 1, words: ["exports"] });
    expect(placeOf("art")).toBeUndefined();
    expect(placeOf("zebra")).toBeUndefined();
  });

  it("begins with one of the words, for any texts and words", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: "grapheme" })), fc.string({ unit: "grapheme" }), (context, query) => {
        const place = locate({ context, query, attributes: [] });
        if (place?.at === undefined || place.key === undefined) return;
        const rest = (context[place.key] ?? "").slice(place.at).toLowerCase();
        expect(place.words.some((word) => rest.startsWith(word))).toBe(true);
      }),
    );
  });
});

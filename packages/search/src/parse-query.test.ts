import { describe, expect, it } from "vitest";
import { parseQuery } from "./parse-query.ts";
import { wordsOf } from "./terms.ts";

const stopWords = (text: string): readonly string[] => [...wordsOf(text).stopWords];

describe("a question", () => {
  it("has each term once, with a weight that grows ever more slowly with repetitions", () => {
    const { terms } = parseQuery("the export of exports to disk, disk, disks");
    expect(terms).toMatchObject([
      { term: "export", weight: 1.5 },
      { term: "disk", weight: 1.8 },
    ]);
    expect(parseQuery("disk").terms).toMatchObject([{ term: "disk", weight: 1 }]);
  });

  it("of stop words alone searches for its stop words", () => {
    expect(parseQuery("what is it?").terms.map(({ term }) => term)).toEqual(stopWords("what is it"));
    expect(parseQuery("what is the export").terms.map(({ term }) => term)).toEqual(["export"]);
  });

  it("requires the terms of its phrases, or the stop words of a phrase with nothing else", () => {
    expect(parseQuery('disk "the nightly export"')).toMatchObject({ required: ["night", "export"], phrases: ["the nightly export"] });
    expect(parseQuery('disk "to be"').required).toEqual(stopWords("to be"));
    expect(parseQuery('the "nightly export"').terms.map(({ term }) => term)).toEqual(["night", "export"]);
  });

  it("requires the parts of an identifier in a phrase, which may be a part of a longer one", () => {
    const { terms, required } = parseQuery('"main.ts"');
    expect([terms.map(({ term }) => term), required]).toEqual([
      ["main", "ts", "maint"],
      ["main", "ts"],
    ]);
    expect(parseQuery('"is_a"').required).toEqual(stopWords("is a"));
    expect(parseQuery('"第3章"').required).toEqual(["3"]);
  });

  it("of few words accepts synonyms, other forms and longer words as substitutes", () => {
    const [term] = parseQuery("login").terms;
    expect(term?.instead).toMatchObject({ terms: expect.arrayContaining(["signin", "auth", "authent"]) as string[], beginning: "login" });
    expect(parseQuery("Verbindungen").terms[0]?.instead?.terms).toContain("verbindung");
    const many = parseQuery("a login form behind a slow proxy with old cookies").terms;
    expect(many.filter(({ instead }) => instead !== undefined)).toEqual([]);
  });

  it("has no substitutes for words of phrases, parts of identifiers, and figures", () => {
    expect(parseQuery('"login form"').terms.map(({ instead }) => instead)).toEqual([undefined, undefined]);
    const whole = parseQuery("maxRetry").terms.map(({ term, instead }) => [term, instead?.beginning]);
    expect(whole).toEqual([
      ["maxretri", "maxretry"],
      ["max", undefined],
      ["retri", undefined],
    ]);
    expect(parseQuery("8443").terms[0]?.instead).toBe(undefined);
    expect(parseQuery("設定").terms[0]?.instead).toBe(undefined);
  });

  it("has no phrase for a lone quotation mark or quotes without a word", () => {
    expect(parseQuery('a 5" disk')).toMatchObject({ required: [], phrases: [] });
    expect(parseQuery('disk "--"')).toMatchObject({ required: [], phrases: [] });
  });
});

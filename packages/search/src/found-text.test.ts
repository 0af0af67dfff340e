import { describe, expect, it } from "vitest";
import { findLines, phraseFinder, snippetOf } from "./found-text.ts";
import { parseQuery } from "./parse-query.ts";

function found(lines: readonly string[], query: string): ReturnType<typeof findLines> {
  return findLines(lines, { terms: new Map(parseQuery(query).terms.map(({ term, weight }) => [term, weight])) });
}

function holds(texts: readonly string[], phrase: string): boolean {
  return texts.some(phraseFinder(phrase));
}

describe("lines with searched terms", () => {
  it("are ordered by the weight of their terms", () => {
    const lines = ["Nothing here.", "One retry.", "Retries with a timeout.", "A timeout."];
    expect(found(lines, "retry timeouts").map(({ line }) => line)).toEqual(["Retries with a timeout.", "One retry.", "A timeout."]);
  });

  it("come last when only a prefix matches", () => {
    const lines = ["Authenticators.", "Nothing here.", "A login form."];
    const wanted = { terms: new Map([["login", 1]]), beginnings: ["auth"] };
    expect(findLines(lines, wanted).map(({ line }) => line)).toEqual(["A login form.", "Authenticators."]);
  });

  it("match every form of a word and every spelling of an identifier", () => {
    expect(found(["happily ever after", "const maxRetries = 3;", "東京都に行く"], "happily")).toHaveLength(1);
    expect(found(["Try again.", "It was dying."], "trying die")).toHaveLength(2);
    expect(found(["const maxRetries = 3;"], "max_retries")).toHaveLength(1);
    expect(found(["set max_retries now", "at ten o'clock"], "maxretries oclock")).toHaveLength(2);
    expect(found(["voir l'utilisateur", "run ns::name"], "l'utilisateur nsname")).toHaveLength(2);
    expect(found(["東京都に行く", "大阪"], "京都")).toHaveLength(1);
    expect(found(["My résumé", "ｓｅａｒｃｈ"], "resume search")).toHaveLength(2);
  });
});

describe("lines with stop words", () => {
  it("are found when the query has nothing else", () => {
    const lines = ["To be, or not to be.", "It is to be done.", "Nothing of the kind."];
    expect(found(lines, "to be or not").map(({ line }) => line)).toEqual(lines.slice(0, 2));
    expect(found(lines, "to be done").map(({ line }) => line)).toEqual(["It is to be done."]);
  });
});

describe("a snippet", () => {
  it("is a short line unchanged", () => expect(snippetOf(found(["The export fails."], "export"))).toBe("The export fails."));

  it("of a long line is the part with the words, cut between words", () => {
    const line = `${"before and ".repeat(80)}the nightly export fails with a timeout${" and after".repeat(80)}`;
    const snippet = snippetOf(found([line], "export timeout"));
    expect(snippet).toMatch(/^….*nightly export fails with a timeout.*…$/u);
    expect(snippet?.length).toBeLessThanOrEqual(282);
  });

  it("of a line full of the words shows their densest place, in linear time", () => {
    const sparse = `export ${"and so on ".repeat(60)}`.repeat(12);
    const snippet = snippetOf(found([`${sparse}the export of exports exports an export ${sparse}`], "export"));
    expect(snippet).toContain("the export of exports exports an export");
    expect(snippetOf(found(["export ".repeat(300_000)], "export"))).toMatch(/^export export .*…$/u);
  });

  it("of a line without spaces is cut around the word", () => {
    const encoded = "aB3/x+".repeat(100_000);
    const [only, ...others] = found([`${encoded}lighthouse/${encoded}`], "lighthouses");
    expect(others).toEqual([]);
    expect(snippetOf(only === undefined ? [] : [only])).toMatch(/^….*lighthouse.*…$/u);
  });

  it("shows the part with most of the words, each counted once", () => {
    const rest = " and so on".repeat(40);
    const line = `src/main.ts${rest} lighthouse export disk${rest}`;
    expect(snippetOf(found([line], "src/main.ts lighthouse export disk"))).toContain("lighthouse export disk");
    const row = `expense\t${"and\tso\ton\t".repeat(40)}export`;
    expect(snippetOf(found([row], "export"))).toMatch(/\texport$/u);
    const json = JSON.stringify(Object.fromEntries(Array.from({ length: 400 }, (_, at) => [at === 200 ? "export" : `expense${at}`, at])));
    expect(snippetOf(found([json], "exports"))).toContain('"export":200');
  });

  it.each([
    ["letters of Han", "東京都に行く人", "灯台"],
    ["Cyrillic letters", "море", "маяк"],
    ["capitals", "ABCDEFGH", "Lighthouse"],
    ["surrogates", "a😀", "灯台"],
  ])("finds a word wherever it stands in a long line of %s without a space", (_, piece, word) => {
    for (let before = 16 * 1024 - 3; before <= 16 * 1024 + 1; before++) {
      const line = `${piece.repeat(before).slice(0, before)}${word === "маяк" ? `-${word}-` : word}${piece.repeat(9_000)}`;
      const [best] = found([line.toWellFormed()], word);
      expect(best?.part).toContain(word);
      expect(snippetOf(best === undefined ? [] : [best])?.isWellFormed()).toBe(true);
    }
  });

  it("finds a word at a cut of a long run of letters and digits", () => {
    for (let parts = 160; parts < 180; parts++) {
      expect(found([`exp${"Zz9".repeat(parts)}Export${"Zz9".repeat(300)}`], "export")).toHaveLength(1);
    }
  });

  it("shows the best of any number of ordinary lines", () => {
    const lines = [
      "маяк один",
      ...Array.from({ length: 6_000 }, () => "обычная строка, в которой ничего нет, и ещё немного слов"),
      "красный маяк у моря",
    ];
    expect(snippetOf(found(lines, "красный маяк"))).toBe("красный маяк у моря");
  });

  it("shows words that are far apart in one long line", () => {
    const far = "and so on ".repeat(20_000);
    expect(snippetOf(found([`${far}the export ${far}of the disk ${far}`], "export disk"))).toMatch(/the export .* … .*of the disk /u);
  });

  it("shows a word after any number of words with the same prefix", () => {
    expect(snippetOf(found([`${"exponent ".repeat(60_000)}and an export`], "export"))).toMatch(/^….* and an export$/u);
  });

  it("shows a second line for words that the first lacks", () => {
    expect(snippetOf(found(["The export fails.", "It is the disk."], "export disk"))).toBe("The export fails. … It is the disk.");
  });

  it("never cuts a character in two", () => {
    const all = found([`a${"😀".repeat(20_000)} needle`], "needle");
    expect(all.map(({ part }) => part.isWellFormed())).toEqual([true]);
    const snippet = snippetOf(found([`${"😀".repeat(400)} needle ${"😀".repeat(400)}`], "needle")) ?? "";
    expect(snippet).toContain("needle");
    expect(snippet.isWellFormed()).toBe(true);
  });
});

describe("a phrase", () => {
  it.each<[string, string, boolean]>([
    ["occurs whatever its capitals", "The Nightly  Export fails", true],
    ["occurs over the end of a line", "the nightly\n  export", true],
    ["does not occur in another order", "export nightly", false],
    ["does not occur as a part of words", "fortnightly exports", false],
  ])("%s", (_, text, isThere) => expect(holds([text], "nightly export")).toBe(isThere));

  it("is searched at each position, also inside a rejected match", () => {
    expect(holds(["ba a a"], "a a")).toBe(true);
    expect(holds(["ba ab"], "a a")).toBe(false);
  });

  it.each(["𐐷nightly export", "nightly export𐐷", "énightly export", "nightly export٣"])(
    "is no part of a word of other letters: %s",
    (text) => {
      expect(holds([text], "nightly export")).toBe(false);
    },
  );

  it("does not go from one text to the next", () => expect(holds(["the nightly", "export"], "nightly export")).toBe(false));

  it("may be of signs, and of scripts without spaces", () => {
    expect(holds(["f(a[0]) // $x"], "f(a[0])")).toBe(true);
    expect(holds(["私は東京都に行く"], "東京都")).toBe(true);
    expect(holds(["ພາສາລາວດີ"], "ລາວ")).toBe(true);
    expect(holds(["使用Docker部署"], "docker")).toBe(true);
    expect(holds(["使用Dockerfile部署"], "docker")).toBe(false);
  });

  it("occurs however accents and apostrophes are encoded", () => {
    expect(holds(["the cafe\u0301 isn’t open"], "caf\u00e9 isn't")).toBe(true);
    expect(holds(["the caf\u00e9 isn't open"], "cafe\u0301 isn’t")).toBe(true);
  });
});

it.each(["a-b", "x/y-z.ts", "(a+b)*[c]{2}^$|?", "\\n", "50% -- done"])("finds a phrase of any signs: %s", (phrase) => {
  expect(holds([`see ${phrase} here`], phrase)).toBe(true);
  expect(holds(["see nothing here"], phrase)).toBe(false);
});

import { describe, expect, it } from "vitest";
import { cutToTokens, estimateTokens } from "./estimate-tokens.ts";

describe("an estimate of tokens", () => {
  // Counted with o200k.
  it.each([
    ["The quick brown fox jumps over the lazy dog and reviews the authentication middleware of the payment service.", 19],
    ["Wir haben die Anmeldung überprüft, und die Rückgabe der Zugangsberechtigungen funktioniert nicht zuverlässig.", 21],
    ["認証の概要を確認し、決済サービスのミドルウェアを修正した。", 21],
    ["Мы исправили ошибку авторизации в платёжном сервисе", 13],
    ['{"path":"src/auth/middleware.ts","line":120,"tests":["a.test.ts","b.test.ts"],"ok":true}', 28],
  ])("is within a third of the count: %s", (text, counted) => {
    expect(estimateTokens(text)).toBeGreaterThan(counted / 1.34);
    expect(estimateTokens(text)).toBeLessThan(counted * 1.34);
  });

  it("cutToTokens cuts between characters", () => {
    const text = "one two three four five 😀😀😀😀";
    expect(cutToTokens(text, 3)).toBe("one two three ");
    expect(cutToTokens(text, 100)).toBe(text);
    for (let most = 0; most < 12; most += 0.25) {
      const cut = cutToTokens(text, most);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
      expect(estimateTokens(cut)).toBeLessThanOrEqual(Math.ceil(most));
    }
  });
});

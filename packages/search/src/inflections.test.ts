import { describe, expect, it } from "vitest";
import { inflectionsOf } from "./inflections.ts";
import { termOf, termsOf } from "./terms.ts";

describe("other forms of a word", () => {
  it.each([
    ["German", "Verbindung", "Verbindungen"],
    ["German", "Kunde", "Kunden"],
    ["German", "Vertrag", "Verträge"],
    ["German", "Bild", "Bildern"],
    ["German", "großen", "große"],
    ["German", "sucht", "suchen"],
    ["French", "journal", "journaux"],
    ["French", "utilisateur", "utilisatrices"],
    ["French", "active", "actifs"],
    ["French", "réseau", "réseaux"],
    ["French", "fermée", "fermer"],
    ["Spanish", "conexión", "conexiones"],
    ["Spanish", "luz", "luces"],
    ["Spanish", "usuarios", "usuaria"],
    ["Spanish", "rechazado", "rechazar"],
  ])("find one word by the other, in %s: %s and %s", (_, one, other) => {
    for (const [asked, there] of [[one, other] as const, [other, one] as const]) {
      const [term, sought] = [...termsOf(asked), ...termsOf(there)] as [string, string];
      // Longer words are found by prefix.
      const isFound = sought.startsWith(written(asked)) || [term, ...inflectionsOf(written(asked))].includes(sought);
      expect([asked, there, isFound]).toEqual([asked, there, true]);
    }
  });

  it("are terms of the index, each once, excluding the word's own term", () => {
    const forms = inflectionsOf("verbindungen");
    expect(new Set(forms).size).toBe(forms.length);
    expect(forms).not.toContain(termOf("verbindungen"));
  });

  it("do not exist for short words, numbers and other alphabets", () => {
    for (const word of ["ab", "e4711", "8443", "мир", "設定"]) expect(inflectionsOf(word)).toEqual([]);
  });
});

/** Returns a word as a question contains it: lower case, without accents. */
function written(word: string): string {
  return word
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "");
}

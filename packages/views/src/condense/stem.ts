/** Removes the inflection of a word, so that "bookings", "booked" and "booking" are equal. English only. */
export function stem(word: string): string {
  if (word.length < 4 || /\P{L}/u.test(word)) return word;
  const singular = word
    .replace(/ies$/u, "y")
    .replace(/(?<=ss|sh|ch|x)es$/u, "")
    .replace(/(?<=[^aeious])s$/u, "")
    .replace(/(?<=[^s]e)s$/u, "");
  const bare = singular.length > 5 ? singular.replace(/(?:ing|ed|ly)$/u, "") : singular;
  return bare.replace(/([bdfglmnprt])\1$/u, "$1").replace(/(?<=.{3})e$/u, "");
}

/** Polite phrases without content. */
const PHRASES: ReadonlySet<string> = new Set(
  (
    "oh, ah, well, and, but, hi, hello, hey, hiya, there, again, everyone, all, team, ok, okay, alright, all right, sure, sure thing, of course, certainly, absolutely, gladly, " +
    "great, perfect, excellent, wonderful, awesome, cool, nice, lovely, good, fine, got it, i see, understood, noted, will do, right away, sorry, sorry about that, my apologies, apologies, no problem, no worries, " +
    "thanks, thank you, thx, many thanks, cheers, so much, very much, a lot, for that, for now, for waiting, for your help, for your time, for your patience, for your message, for your understanding, for asking, " +
    "for letting me know, for reaching out, for contacting us, for confirming, for sharing, for sharing that, for the information, for the details, for all your help, you're welcome, you are welcome, you're very welcome, welcome, my pleasure, it was my pleasure, anytime, " +
    "you're the best, you are the best, that's great, that is great, great to hear, that's great to hear, glad to hear, glad to hear that, happy to help, i'm happy to help, i'd be happy to help, i would be happy to help, glad i could help, glad to help, " +
    "that's helpful, that's very helpful, that's really helpful, hope you are well, hope you're well, hope you are doing well, hope you're doing well, i hope you're doing well, i hope you are doing well, i hope this helps, hope this helps, i hope that helps, hope that helps, " +
    "bye, goodbye, see you, talk to you, speak to you, you, later, soon, tomorrow, then, now, today, please, good morning, good afternoon, good evening, good night, good day, good luck, take care, sounds good, looks good, that works, " +
    "one moment, one second, one minute, one sec, just a moment, just a second, just a minute, just a sec, a moment, a second, a minute, give me a moment, give me a second, give me a minute, give me a sec, hang on, hold on, bear with me, working on it, on it, let me check, let me see, " +
    "i'm here, i am here, here to help, i'm here to help, how are you, how can i help, how can i help you, how can i assist you, how may i help, how may i help you, how may i assist you, what can i do for you, anything else, is there anything else, is there anything else i can, help you with, assist you with, do for you, " +
    "if you need anything else, if you need anything, if you have any questions, if you have any other questions, let me know, just let me know, feel free to ask, feel free to reach out, don't hesitate to ask, don't hesitate to reach out, please don't hesitate to ask, " +
    "have a nice day, have a good day, have a great day, have a wonderful day, have a lovely day, have a safe trip, have a nice evening, have a great evening, have a good weekend, have a great weekend, back soon, be right back"
  ).split(", "),
);

const LONGEST_PHRASE = 7;
const FIRST_WORDS: ReadonlySet<string> = new Set(Array.from(PHRASES, (phrase) => phrase.split(" ", 1)[0] ?? ""));

/** True when lower-case words consist of polite phrases only. */
export function isSmallTalk(words: readonly string[]): boolean {
  for (let at = 0; at < words.length;) {
    let length = Math.min(LONGEST_PHRASE, words.length - at);
    while (length > 0 && !PHRASES.has(words.slice(at, at + length).join(" "))) length -= 1;
    if (length === 0) return false;
    at += length;
  }
  return words.length > 0;
}

/** Removes sentences that are only polite. Empty when all are. */
export function withoutSmallTalk(text: string): string {
  const sentences = text.split(END_OF_SENTENCE);
  const telling = sentences.filter((sentence) => !isPolite(sentence));
  return telling.length === sentences.length ? text : telling.join(" ");
}

function isPolite(sentence: string): boolean {
  if (sentence.length > LONGEST_SENTENCE) return false;
  const [first = ""] = /[\p{L}'\u2019]+/u.exec(sentence) ?? [];
  return FIRST_WORDS.has(first.toLowerCase().replace("\u2019", "'")) && isSmallTalk(wordsOf(sentence));
}

const END_OF_SENTENCE = /(?<=[.!?])\s+/u;
/** Longer sentences have content. */
const LONGEST_SENTENCE = 120;

function wordsOf(sentence: string): string[] {
  return sentence
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .split(/[^\p{L}\p{N}']+/u)
    .filter((word) => word !== "");
}

import { tokensOf } from "./hand-over.ts";

/** Most characters of the input, and of an answer, that the page shows. */
const MOST_GIVEN = 900;
const MOST_ANSWERED = 5_000;
const LINE = 140;

const INTRODUCTION = `# A lost window, call by call

An agent saves its work and is killed; a second agent continues it. This page shows every call and answer. The agent is a program of fixed
rules that sees only the list of tools and the answers (\`tooling/go-on/src/scripted-model.ts\`); the server is the real one. A test
writes this page and fails when it is out of date. Long texts are cut where marked; tokens are counted over the whole text (o200k_base).
`;

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu;

function fenced(text: string): string {
  const fence = text.includes("```") ? "````" : "```";
  return `${fence}text\n${text}\n${fence}`;
}

/** Formats the calls of an agent and their answers for a page. */
export class Transcript {
  readonly #parts: string[] = [];

  say(sentence: string): void {
    this.#parts.push(sentence);
  }

  add(tool: string, given: object, answer: string): void {
    const sent = JSON.stringify(given);
    this.#parts.push(
      [
        `\`${tool}\`, ${tokensOf(sent)} tokens to write:`,
        fenced(this.#shown(sent, MOST_GIVEN)),
        `Answer, ${tokensOf(answer)} tokens:`,
        fenced(this.#shown(answer, MOST_ANSWERED)),
      ].join("\n\n"),
    );
  }

  page(): string {
    return `${INTRODUCTION}\n${this.#parts.join("\n\n")}\n`;
  }

  #shown(text: string, most: number): string {
    const steady = text.replaceAll(TIME, "<time>").replaceAll(/(?<="sizeBytes":)\d+/gu, "<bytes>");
    const cut = steady.length <= most ? steady : `${steady.slice(0, most).toWellFormed()}… (${steady.length - most} characters more)`;
    // Formatters remove blanks at the ends of lines.
    return cut.replaceAll(new RegExp(`(.{1,${LINE}}) `, "gu"), "$1\n").replaceAll(/ +$/gmu, "");
  }
}

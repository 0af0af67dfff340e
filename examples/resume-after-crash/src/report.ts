import { styleText } from "node:util";
import type { BudgetedView } from "./budgeted-view.ts";
import type { Session } from "./session-player.ts";
import type { DemoEvent, DemoResult, Fetched } from "./run-demo.ts";
import type { Timing } from "./timings.ts";

const LABEL_WIDTH = 14;
/** Number of entries that a line names; the others are only counted. */
const MOST_NAMED = 3;

/** Returns the head of the report: its title and the session. */
export function headOf({ id, steps }: Session): string {
  const title = styleText("bold", "An agent's session survives a kill and the loss of its database");
  return [title, "", line("session", `${id}, ${count(steps.length, "step")}, saved after each`), ""].join("\n");
}

/** Returns the line for one event. */
export function lineOf(event: DemoEvent): string {
  switch (event.kind) {
    case "played":
      return line("play", `steps ${event.from} to ${event.to} saved`);
    case "killed": {
      const when = `${ms(event.afterMs)} after the save of step ${event.step} was sent (it usually takes ${ms(event.usualMs)})`;
      return line("kill", `SIGKILL ${when}; ${event.wasAnswered ? "it had just been acknowledged" : "never acknowledged"}`);
    }
    case "resumed": {
      const what = event.wasInFlight ? "whose save was not acknowledged" : "the last one acknowledged";
      const exact = event.isExact ? styleText("green", "byte for byte as saved") : styleText("red", "NOT as saved");
      return line("resume", `${count(event.found, "checkpoint")} listed; the latest is step ${event.step}, ${what}: ${exact}`);
    }
    case "continued":
      return line(
        "go on",
        event.from > event.to ? "no step was left" : `steps ${event.from} to ${event.to} saved, from the loaded context`,
      );
    case "lost":
      return line("delete", event.removed.join(", "));
    case "rebuilt":
      return line("rebuild", `${count(event.found, "checkpoint")} found in the files, ${ms(event.ms)}`);
    case "compared": {
      const { acknowledged, others } = event;
      const verdict = `${number(acknowledged.same)} of ${number(acknowledged.of)} acknowledged checkpoints come back byte for byte`;
      const rest = others.of === 0 ? "" : `, and ${others.same} of ${others.of} that a kill cut off`;
      return line("compare", styleText(acknowledged.same === acknowledged.of ? "green" : "red", verdict) + rest);
    }
  }
}

/** Returns the end of the report: sizes, times, views under budgets, and the verdict. */
export function summaryOf(result: DemoResult): string {
  const { checkpoints, contextBytes, lastContextBytes, fileBytes, databaseBytes, save, load, views, criticalKey, fetched } = result;
  return [
    "",
    line("checkpoints", `${checkpoints}, the last of ${bytes(lastContextBytes)}`),
    line("bytes", `${bytes(contextBytes)} of contexts in ${bytes(fileBytes)} of files, beside a database of ${bytes(databaseBytes)}`),
    line("save", timing(save)),
    line("load", timing(load)),
    "",
    styleText("bold", "An agent with a small budget loads the last checkpoint"),
    "",
    ...views.flatMap((view) => viewLines(view, criticalKey)),
    ...(fetched === undefined ? [] : [line("fetched", fetchedText(fetched))]),
    "",
    verdictOf(result.mismatches),
  ].join("\n");
}

function viewLines(view: BudgetedView, criticalKey: string): string[] {
  const asked = view.budgetTokens === undefined ? "no budget" : `${number(view.budgetTokens)} tokens`;
  const counts = `${view.whole} of ${count(view.of, "entry", "entries")} are whole, ${view.shortened.length} shortened, ${view.leftOut} left out.`;
  const critical = view.hasCritical ? ` ${criticalKey}, marked as critical, is whole.` : "";
  const given = `The answer takes ${number(view.answerTokens)} tokens. ${counts}${critical}`;
  return view.shortened.length === 0 ? [line(asked, given)] : [line(asked, given), line("", `Shortened, in characters: ${namesOf(view)}.`)];
}

function fetchedText({ key, characters, calls }: Fetched): string {
  return `All ${number(characters)} characters of ${key} came back in ${count(calls, "more call")} with keys and range, and match the original.`;
}

function namesOf({ shortened }: BudgetedView): string {
  const named = shortened.slice(0, MOST_NAMED).map(({ key, characters, shown }) => `${key} from ${number(characters)} to ${number(shown)}`);
  const others = shortened.length - named.length;
  return named.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

function verdictOf(mismatches: readonly string[]): string {
  if (mismatches.length === 0) return styleText(["bold", "green"], "Everything that was acknowledged came back exactly.");
  const title = styleText(["bold", "red"], "Not everything came back as it should have:");
  return [title, ...mismatches.map((each) => `  - ${each}`)].join("\n");
}

function line(label: string, text: string): string {
  return `  ${styleText("dim", label.padEnd(LABEL_WIDTH))}${text}`;
}

function timing({ count, medianMs, p95Ms }: Timing): string {
  return `median ${ms(medianMs)}, p95 ${ms(p95Ms)} (${number(count)} calls through MCP)`;
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

function bytes(value: number): string {
  return value < 2 ** 20 ? `${number(value / 2 ** 10, 1)} KiB` : `${number(value / 2 ** 20, 1)} MiB`;
}

function number(value: number, digits = 0): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

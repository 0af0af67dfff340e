import { isJsonObject, type JsonValue, type TranscriptEvent, type CallEvent, type ResultEvent } from "@workrail/core";
import { cut } from "../handoff/read/plain.ts";
import { parseData } from "../condense/outline-data.ts";
import { namedPaths } from "../resume/named-paths.ts";
import { linesAbout } from "./lines-about.ts";
import { commandOf, filesOf, planIn, stateOf, textOf } from "./note-calls.ts";
import { decisionsIn, errorLinesOf, looksFailed, reasonIn, demandsIn } from "./note-texts.ts";
import {
  LONGEST_NOTED,
  MOST_NOTED,
  type NotedCommand,
  type NotedError,
  type NotedFile,
  type NotedText,
  type OpenCall,
  type PlanItem,
  type WorkNotes,
} from "./work-notes.ts";

/** Returns notes that include more events of the session. Does not change the given notes. */
export function noteEvents(before: WorkNotes, events: readonly TranscriptEvent[]): WorkNotes {
  const notes = new NotesInWriting(before);
  events.forEach((event, at) => notes.add(event, events.length - at <= SEARCHED));
  return notes.done();
}

/** Number of last events that are searched for decisions and paths. The bounded lists would drop finds of older events anyway. */
const SEARCHED = 200;
/** Characters of an output that are searched for paths. */
const MOST_SEARCHED = 6_000;
/** The most paths that one output adds: a long listing says little about each path. */
const MOST_SEEN = 12;

class NotesInWriting {
  readonly #notes: { -readonly [Key in keyof WorkNotes]: WorkNotes[Key] };
  readonly #files: Map<string, NotedFile>;
  #isRecent = true;
  readonly #commands: Map<string, NotedCommand>;
  /** The last output, and the texts that led to it. Only the last one is searched, because a search is slow. */
  #output: { readonly text: string; readonly sought: string } | undefined;

  constructor(before: WorkNotes) {
    this.#notes = { ...before };
    this.#files = new Map(before.files.map((file) => [file.path, file]));
    this.#commands = new Map(before.commands.map((command) => [command.command, command]));
  }

  add(event: TranscriptEvent, isRecent: boolean): void {
    this.#isRecent = isRecent;
    if (event.at !== undefined) {
      this.#notes.startedAt ??= event.at;
      this.#notes.lastAt = event.at;
    }
    switch (event.kind) {
      case "prompt":
        return this.#prompt(event.text, event.at);
      case "reply":
        return this.#reply(event.text, event.at);
      case "thought":
        return this.#decide(event.text);
      case "call":
        return this.#call(event);
      case "result":
        return this.#result(event);
      case "summary":
        this.#notes.summary = cut(event.text, LONGEST_NOTED.summary);
        return undefined;
      case "interrupted":
        this.#notes.last = "interrupted";
        return undefined;
    }
  }

  done(): WorkNotes {
    if (this.#output !== undefined) this.#notes.output = linesAbout(this.#output.text, this.#output.sought);
    return { ...this.#notes, files: latestFiles(this.#files), commands: [...this.#commands.values()].slice(-MOST_NOTED.commands) };
  }

  #prompt(text: string, at: string | undefined): void {
    if (text.trim() === "") return;
    const notes = this.#notes;
    const isFirst = notes.prompts.length === 0;
    const noted: NotedText = {
      text: cut(text.trim(), isFirst ? LONGEST_NOTED.goal : LONGEST_NOTED.prompt),
      ...(at === undefined ? {} : { at }),
    };
    notes.prompts = firstAndLast([...notes.prompts, noted], MOST_NOTED.prompts);
    const { prohibitions, requirements } = demandsIn(text);
    notes.prohibitions = firstAndLast(unique([...notes.prohibitions, ...prohibitions]), MOST_NOTED.prohibitions);
    notes.requirements = firstAndLast(unique([...notes.requirements, ...requirements]), MOST_NOTED.requirements);
    notes.counts = { ...notes.counts, prompts: notes.counts.prompts + 1 };
    notes.last = "prompt";
  }

  #reply(text: string, at: string | undefined): void {
    if (text.trim() === "") return;
    const notes = this.#notes;
    const noted = { text: cutMiddle(text.trim(), LONGEST_NOTED.reply), ...(at === undefined ? {} : { at }) };
    notes.replies = [...notes.replies, noted].slice(-MOST_NOTED.replies);
    this.#decide(text);
    notes.counts = { ...notes.counts, replies: notes.counts.replies + 1 };
    notes.last = "reply";
  }

  #decide(text: string): void {
    const decisions = this.#isRecent ? decisionsIn(text) : [];
    if (decisions.length > 0) this.#notes.decisions = unique([...this.#notes.decisions, ...decisions]).slice(-MOST_NOTED.decisions);
  }

  #call({ id, tool, input }: CallEvent): void {
    const notes = this.#notes;
    notes.counts = { ...notes.counts, calls: notes.counts.calls + 1 };
    notes.last = "call";
    for (const { path, isEdit } of filesOf(tool, input)) this.#touch(path, isEdit);
    const plan = planIn(tool, input);
    if (plan !== undefined) notes.plan = plan.slice(0, MOST_NOTED.plan);
    else if (isJsonObject(input)) this.#planItem(id, tool, input);
    const command = commandOf(input);
    if (command !== undefined) this.#run(command);
    const [file] = filesOf(tool, input);
    const did = command ?? `${tool}${file === undefined ? "" : ` ${file.path}`}`;
    notes.steps = [...notes.steps, { did, ...(id === undefined ? {} : { id }) }].slice(-MOST_NOTED.steps);
    const kept = SAVES.test(tool) || CREATES_ITEM.test(tool) ? { input: isJsonObject(input) ? briefly(input) : {} } : {};
    const touched = file === undefined ? {} : { file };
    const open: OpenCall = {
      tool,
      ...(id === undefined ? {} : { id }),
      ...(command === undefined ? {} : { command }),
      ...touched,
      ...kept,
    };
    notes.open = [...notes.open, open].slice(-MOST_NOTED.open);
  }

  #planItem(id: string | undefined, tool: string, input: { readonly [key: string]: JsonValue }): void {
    const notes = this.#notes;
    if (CREATES_ITEM.test(tool)) {
      notes.plan = [...notes.plan, { id: `call ${id ?? notes.plan.length + 1}`, text: textOf(input), state: "pending" as const }].slice(
        -MOST_NOTED.plan,
      );
    } else if (UPDATES_ITEM.test(tool)) {
      const given = input["taskId"] ?? input["id"];
      const wanted = typeof given === "number" ? `${given}` : given;
      notes.plan = notes.plan.flatMap((item): PlanItem[] => {
        if (item.id !== wanted) return [item];
        if (input["status"] === "deleted") return [];
        const text = typeof input["subject"] === "string" ? textOf(input) : item.text;
        return [{ ...item, text, state: input["status"] === undefined ? item.state : stateOf(input["status"]) }];
      });
    }
  }

  #run(command: string): void {
    const { runs = 0, ...before } = this.#commands.get(command) ?? { command };
    this.#commands.delete(command);
    this.#commands.set(command, { ...before, command, runs: runs + 1 });
    if (this.#isRecent) for (const path of pathsIn(command)) this.#see(path);
  }

  #result({ id, text, failed, exitCode }: ResultEvent): void {
    const notes = this.#notes;
    const place = id === undefined ? notes.open.length - 1 : notes.open.findLastIndex((open) => open.id === id);
    const call = notes.open[place];
    notes.open = notes.open.filter((_, index) => index !== place);
    notes.last = "result";
    if (call === undefined) return;
    const hasFailed = failed ?? (exitCode === undefined ? call.command !== undefined && looksFailed(text) : exitCode !== 0);
    this.#output = hasFailed ? undefined : { text, sought: `${notes.replies.at(-1)?.text ?? ""}\n${call.command ?? ""}` };
    delete notes.output;
    if (this.#isRecent) {
      const said = hasFailed ? cut(reasonIn(text), 160) : lastLineOf(text);
      const last = notes.steps.findLastIndex((step) => step.id === id && (id !== undefined || step.said === undefined));
      notes.steps = notes.steps.map((step, at) => (at === last ? { ...step, said } : step));
    }
    if (!hasFailed) notes.errors = notes.errors.filter((error) => !isSettledBy(error, call));
    if (call.command !== undefined) this.#end(call.command, { text, hasFailed, exitCode });
    else if (hasFailed && this.#isRecent) {
      const place = call.file === undefined ? {} : { path: call.file.path };
      notes.errors = [...notes.errors, { tool: call.tool, text: errorLinesOf(text), ...place }].slice(-MOST_NOTED.errors);
    } else if (CREATES_ITEM.test(call.tool)) notes.plan = withHostId(notes.plan, id, text);
    else if (SAVES.test(call.tool)) this.#saved(text);
    if (this.#isRecent && (call.command !== undefined || SEARCHES.test(call.tool)))
      for (const path of pathsIn(text.slice(0, MOST_SEARCHED)).slice(0, MOST_SEEN)) this.#see(path);
  }

  #end(
    command: string,
    { text, hasFailed, exitCode }: { readonly text: string; readonly hasFailed: boolean; readonly exitCode: number | undefined },
  ): void {
    const { error: _error, said: _said, exitCode: _code, runs } = this.#commands.get(command) ?? { command, runs: 1 };
    const code = exitCode ?? Number(/^Exit code:? (\d+)/u.exec(text)?.[1] ?? Number.NaN);
    const said = lastLineOf(text);
    this.#commands.set(command, {
      command,
      runs,
      outcome: hasFailed ? "failed" : "ok",
      ...(hasFailed && code > 0 ? { exitCode: code } : {}),
      ...(hasFailed ? { error: this.#isRecent ? errorLinesOf(text) : "" } : said === "" ? {} : { said }),
    });
  }

  #saved(text: string): void {
    const { lastAt: at } = this.#notes;
    const answer = parseData(text);
    if (!isJsonObject(answer)) return;
    const { checkpointId, sessionId } = answer;
    if (typeof checkpointId !== "string" || typeof sessionId !== "string") return;
    const others = this.#notes.saves.filter((save) => save.sessionId !== sessionId);
    this.#notes.saves = [...others, { checkpointId, sessionId, ...(at === undefined ? {} : { at }) }].slice(-MOST_NOTED.saves);
  }

  #touch(path: string, isEdit: boolean): void {
    const { edits = 0, reads = 0 } = this.#files.get(path) ?? {};
    this.#files.delete(path);
    this.#files.set(path, { path, edits: edits + (isEdit ? 1 : 0), reads: reads + (isEdit ? 0 : 1) });
  }

  /** Notes a path in output. A file that was read or edited keeps its place and counts. */
  #see(path: string): void {
    const known = this.#files.get(path);
    if (known !== undefined && known.isSeen !== true) return;
    this.#files.delete(path);
    this.#files.set(path, { path, edits: 0, reads: 0, isSeen: true });
  }
}

/** Tells whether a call that succeeded settles the error of an earlier one: an edit of the file, or the same tool on it. */
function isSettledBy({ tool, path }: NotedError, call: OpenCall): boolean {
  return path !== undefined && path === call.file?.path && (call.file.isEdit || call.tool === tool);
}

const CREATES_ITEM = /^(?:task_?create|todo_?create|create_?task)$/iu;
const UPDATES_ITEM = /^(?:task_?update|todo_?update|update_?task)$/iu;
const SAVES = /workflow_checkpoint_save$|(?:^|_)checkpoint_save$/u;
const SEARCHES = /^(?:grep|glob|ls|search|find|list)/iu;

function briefly(input: { readonly [key: string]: JsonValue }): { readonly [key: string]: JsonValue } {
  return Object.fromEntries(
    Object.entries(input).filter(([, value]) => typeof value !== "object" && String(value).length <= LONGEST_NOTED.sentence),
  );
}

/** Sets the id that a host gave to an item of the plan, from the output: `Task #3 created`, `{"task":{"id":"3"}}`. */
function withHostId(plan: readonly PlanItem[], id: string | undefined, text: string): readonly PlanItem[] {
  const given = /"id"\s*:\s*"?(\w+)/u.exec(text)?.[1] ?? /#(\w+)/u.exec(text)?.[1];
  return given === undefined ? plan : plan.map((item) => (item.id === `call ${id ?? plan.length}` ? { ...item, id: given } : item));
}

function pathsIn(text: string): string[] {
  return namedPaths(text).filter(
    (path) =>
      path.length <= LONGEST_NOTED.path &&
      !path.includes(" ") &&
      /[\p{L}\p{N}]\.[A-Za-z][\w]{0,9}$/u.test(path) &&
      !/^[-$~]|[*{}$]/u.test(path),
  );
}

/** The last meaningful line: no shell prompt, no advice of a package manager, and no line that a harness appends to each output. */
function lastLineOf(text: string): string {
  const lines = text.trimEnd().split("\n").slice(-MOST_TAIL);
  return cut(lines.findLast((line) => !SAYS_NOTHING.test(line.trim()))?.trim() ?? "", 160);
}

const MOST_TAIL = 8;
const SAYS_NOTHING =
  /^$|[$#>]$|^\((?:Open file|Current directory|Open|Current)\b.*\)$|^(?:WARN(?:ING)?\b|\[notice\]|npm (?:notice|warn)\b)/iu;

function unique(texts: readonly string[]): string[] {
  // A repeated text moves to the end.
  return [...new Set(texts.toReversed())].reverse();
}

/** Keeps the first item and the last ones: the first prompt states the purpose of the session. */
function firstAndLast<T>(items: readonly T[], most: number): readonly T[] {
  return items.length <= most ? items : [...items.slice(0, 1), ...items.slice(1 - most)];
}

/** Keeps the beginning of a long text (its subject) and its end (its result). */
function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, Math.floor(most / 3)).toWellFormed()}\n…\n${text.slice(-Math.floor((most * 2) / 3)).toWellFormed()}`;
}

/** Drops files beyond the limit: first those that were only seen, then the least recently used. */
function latestFiles(files: ReadonlyMap<string, NotedFile>): readonly NotedFile[] {
  const all = [...files.values()];
  const excess = all.length - MOST_NOTED.files;
  if (excess <= 0) return all;
  const leastUseful = [...all.filter(({ isSeen }) => isSeen === true), ...all.filter(({ isSeen }) => isSeen !== true)];
  const dropped = new Set(leastUseful.slice(0, excess));
  return all.filter((file) => !dropped.has(file));
}

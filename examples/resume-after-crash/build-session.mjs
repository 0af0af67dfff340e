// Composes the recorded session from the texts in authoring/ and writes session.json:
//
//   node build-session.mjs            writes session.json beside this file
//   node build-session.mjs --stdout   prints it instead
//
// The same texts always give the same bytes: there is no clock and no randomness in here.
import { writeFileSync } from "node:fs";
import { initial, steps } from "./authoring/transcript/index.mjs";
import { applyEdit, authored, baseFiles, parseEdits } from "./authoring/workspace.mjs";

const startedAt = Date.UTC(2025, 9, 14, 7, 40, 0);
const longestLastObservation = 2_000;

/** The tools: each returns the results of a step, worded as the real tool words them. `files` is the code base and is changed in place. */
const tools = {
  read({ paths }, files) {
    const read = paths.map((path) => [path, existing(files, path)]);
    return {
      observation: read.map(([path, text]) => `${path} (${lineCount(text)} lines)\n${numbered(text)}`).join("\n\n"),
      filesRead: Object.fromEntries(read.map(([path, text]) => [path, { lines: lineCount(text), content: text }])),
    };
  },

  run({ output }) {
    return { observation: authored(`outputs/${output}.txt`) };
  },

  edit({ from }, files) {
    const edits = parseEdits(authored(`edits/${from}.txt`));
    if (edits.length === 0) throw new Error(`edits/${from}.txt holds no edit`);
    const places = edits.map((edit) => `${edit.path}:${applyEdit(files, edit)}`);
    return {
      edits,
      observation: `edited ${places.join(", ")}`,
      filesChanged: changed(
        files,
        edits.map((edit) => edit.path),
      ),
    };
  },

  create({ paths }, files) {
    for (const path of paths) files.set(path, authored(`new/${path}.txt`));
    const sizes = paths.map((path) => `${path} (${lineCount(files.get(path))} lines)`);
    return { observation: `wrote ${sizes.join(", ")}`, filesChanged: changed(files, paths) };
  },

  remove({ paths }, files) {
    for (const path of paths) files.delete(path);
    const gone = Object.fromEntries(paths.map((path) => [path, { status: "removed", lines: 0, content: null }]));
    return { observation: `removed ${paths.join(", ")}`, filesChanged: gone };
  },

  think() {
    return { observation: "" };
  },
};

function existing(files, path) {
  const text = files.get(path);
  if (text === undefined) throw new Error(`${path} does not exist at this point`);
  return text;
}

function changed(files, paths) {
  const original = baseFiles();
  return Object.fromEntries(
    paths.map((path) => {
      const content = files.get(path);
      return [path, { status: original.has(path) ? "modified" : "added", lines: lineCount(content), content }];
    }),
  );
}

function lineCount(text) {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function numbered(text) {
  const lines = text.split("\n").slice(0, lineCount(text));
  return lines.map((line, index) => `${String(index + 1).padStart(4)}  ${line}`).join("\n");
}

function shortened(text) {
  if (text.length <= longestLastObservation) return text;
  const cut = text.slice(0, longestLastObservation).toWellFormed();
  return `${cut}\n[${text.length - longestLastObservation} more characters in history]`;
}

/**
 * Returns how long a step took, in milliseconds: thinking takes time in proportion to the length of the thought; a command takes the time
 * that the transcript states.
 */
function duration({ thought, action }) {
  return 9_000 + thought.length * 70 + (action.ms ?? 400);
}

/** Returns one recorded step: how the context changes between two saves. */
function recordStep(step, { index, at }, files) {
  const { action } = step;
  const result = tools[action.tool](action, files);
  const entry = { step: index + 1, at: at.toISOString(), phase: step.phase, thought: step.thought, action: described(action, result) };
  if (result.observation !== "") entry.observation = result.observation;

  const append = { history: [entry], ...dated(step.append ?? {}, index + 1) };
  if (action.tool === "run") {
    append.commandsRun = [{ step: index + 1, command: action.command, exitCode: action.exitCode, ms: action.ms }];
  }
  const { testResults } = step.set ?? {};
  const set = {
    ...step.set,
    ...(testResults === undefined ? {} : { testResults: { step: index + 1, ...testResults } }),
    currentPhase: step.phase,
    lastObservation: shortened(result.observation),
    updatedAt: at.toISOString(),
    stepsTaken: index + 1,
  };
  const put = { ...step.put };
  if (result.filesRead !== undefined) put.filesRead = result.filesRead;
  if (result.filesChanged !== undefined) put.filesChanged = result.filesChanged;
  return { append, set, ...(Object.keys(put).length === 0 ? {} : { put }) };
}

/** Adds the number of the step to each new list item. */
function dated(lists, number) {
  const entries = Object.entries(lists).map(([name, items]) => [name, items.map(({ id, ...rest }) => ({ id, step: number, ...rest }))]);
  return Object.fromEntries(entries);
}

function described(action, { edits }) {
  const { tool, paths, command, exitCode } = action;
  if (tool === "run") return { tool, command, exitCode };
  if (tool === "edit") return { tool, edits };
  return paths === undefined ? { tool } : { tool, paths };
}

function buildSession() {
  const files = baseFiles();
  let clock = startedAt;
  const recorded = steps.map((step, index) => {
    clock += duration(step);
    return recordStep(step, { index, at: new Date(clock) }, files);
  });
  return { id: "resume-after-crash", source: "authored for this repository", initial, steps: recorded };
}

/** Returns the session as JSON with one step per line, so that a changed step is a changed line. */
function toText({ steps: recorded, ...head }) {
  const lines = recorded.map((step) => JSON.stringify(step)).join(",\n");
  return `${JSON.stringify(head).slice(0, -1)},"steps":[\n${lines}\n]}\n`;
}

const text = toText(buildSession());
if (process.argv.includes("--stdout")) process.stdout.write(text);
else writeFileSync(new URL("./session.json", import.meta.url), text);

import type { Classification, Layer } from "@workrail/core";

/** The layers of the entries made from notes. They equal the answer of the classifier, which takes long to load. */
const LAYERS: Readonly<Record<string, Layer>> = {
  goal: "CRITICAL",
  prohibitions: "CRITICAL",
  laterRequests: "CRITICAL",
  status: "IMPORTANT",
  nextSteps: "IMPORTANT",
  openQuestions: "IMPORTANT",
  plan: "IMPORTANT",
  lastSteps: "IMPORTANT",
  outputOfLastStep: "USEFUL",
  lastMessages: "USEFUL",
  failingCommands: "USEFUL",
  errors: "USEFUL",
  decisions: "CRITICAL",
  requirements: "CRITICAL",
  filesChanged: "USEFUL",
  filesRead: "USEFUL",
  commands: "USEFUL",
  background: "USEFUL",
  filesSeen: "USEFUL",
  summaryOfEarlierTurns: "IMPORTANT",
  ownCheckpoints: "USEFUL",
  session: "USEFUL",
};

/** Classifications of the entries made from notes, by key. */
export const LAYERS_OF_NOTES: ReadonlyMap<string, Classification> = new Map(
  Object.entries(LAYERS).map(([key, layer]) => [key, { layer, confidence: 0.9, why: "key of an entry made from notes" }]),
);

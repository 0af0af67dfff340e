import { changingList } from "./actions.mjs";

const firstPlan = [
  { id: "P1", title: "Understand the service, run its checks, note what constrains the change", status: "in-progress" },
  { id: "P2", title: "Decide on the cursor: what it holds, how it is encoded, what happens to offset", status: "pending" },
  { id: "P3", title: "Cursor pagination for GET /bookmarks with tests", status: "pending" },
  { id: "P4", title: "Rate limiting per owner with tests", status: "pending" },
  { id: "P5", title: "Check both at 20,000 bookmarks: plan of every list query, time of first and deep pages", status: "pending" },
  { id: "P6", title: "docs/api.md, decision records, changelog, commits", status: "pending" },
];

export const plan = changingList(firstPlan);
export const questions = changingList([]);
export const hypotheses = changingList([]);

export const initial = {
  workflowId: "feature-with-verification",
  workflowVersion: 3,
  userGoal:
    "Add cursor pagination and rate limiting to shelfmark. The phone app loads the whole collection page by page and people report bookmarks that appear twice or never while something is being added at the same time. Also, one runaway script must not make the service slow for everybody else.",
  taskRequirements: [
    {
      id: "R1",
      text: "GET /bookmarks gives nextCursor; following it visits every bookmark that existed at the start exactly once, whatever is added meanwhile.",
    },
    { id: "R2", text: "order=newest (default) and order=oldest. Filters (tag, q) work together with cursors." },
    { id: "R3", text: "A cursor is opaque. One that is damaged, or used with other filters, is answered 400 and never with a wrong page." },
    {
      id: "R4",
      text: "offset keeps working for one release and is marked as deprecated in the answer's headers. total stays where clients of 0.7 read it.",
    },
    {
      id: "R5",
      text: "Each owner has a request budget with a burst allowance, both configurable, 0 turns the limit off. Over budget: 429 with Retry-After in whole seconds, never 0.",
    },
    { id: "R6", text: "GET /health is never limited: the supervisor restarts the service when it does not answer 200." },
    { id: "R7", text: "Guessing tokens must be limited as well, and must not make memory grow." },
    { id: "R8", text: "No list query may sort the owner's whole collection (decision 0001)." },
  ],
  constraints: [
    "No runtime dependencies.",
    "Migrations are append-only; three are released.",
    "Behaviour and docs/api.md change in the same commit.",
    "Tests own the clock; no sleeping in tests.",
    "Do not push. Leave commits on the branch feature/cursors-and-limits.",
  ],
  repository: {
    root: "/workspace/shelfmark",
    branch: "main",
    language: "TypeScript run by Node 24 without a build step",
    checks: ["npm run typecheck", "npm test"],
  },
  plan: plan({}),
  currentPhase: "understand",
  filesRead: {},
  filesChanged: {},
  history: [],
  decisions: [],
  findings: [],
  hypotheses: hypotheses({}),
  openQuestions: questions({}),
  commandsRun: [],
  testResults: {},
  lastObservation: "",
  scratch: {},
  stepsTaken: 0,
  updatedAt: "2025-10-14T07:40:00.000Z",
};

export { condenseValue } from "./condense/condense-value.ts";
export type { CondenseHow, Condensed } from "./condense/condense-value.ts";
export { reduceValue } from "./condense/reduce-value.ts";
export { STRATEGIES } from "./condense/strategies.ts";
export type { StrategyName } from "./condense/strategies.ts";
export { type ComposedView, composeView } from "./handoff/compose-view.ts";
export type { MissingNames, NamedEntries, ShortenedEntry } from "./handoff/name-missing.ts";
export { LEAST_HANDOFF_TOKENS, LEAST_SUMMARY_TOKENS, writeDocument } from "./handoff/write-document.ts";
export type { DocumentInput, Handoff } from "./handoff/write-document.ts";
export { writeHandoff } from "./handoff/write-handoff.ts";
export type { HandoffInput } from "./handoff/write-handoff.ts";
export { fenced, linesOf, plainText } from "./handoff/stored-text.ts";
export { namedPaths } from "./resume/named-paths.ts";
export { rankCandidates } from "./resume/rank-candidates.ts";
export type { Candidate, Here, Known, Relation } from "./resume/rank-candidates.ts";
export { loadView } from "./load-view.ts";
export type { BudgetFor, EntryPath, LoadedView, ViewPorts, ViewRequest, ViewValue } from "./load-view.ts";
export type { AdvancedMode } from "./condense/ask-condenser.ts";
export { LONGEST_ADVANCED_REPORT } from "./condense/compress-advanced.ts";
export type { AdvancedReport, FellBack } from "./condense/compress-advanced.ts";
export { compressContext, prioritizeContext } from "./shape-context.ts";
export type { CompressInput, PrioritizeInput, ShapedContext, ShapeInput, ShapePorts } from "./shape-context.ts";
export { buildView } from "./view/build-view.ts";
export type { LargestCritical, View, ViewBudget, ViewHow } from "./view/build-view.ts";
export type { Outcome, ShortenValue, ShorterValue } from "./view/choose-entries.ts";
export type { LayerTotals, Omissions, OmittedEntry, ReportedEntry, ViewReport } from "./view/report.ts";
export type { ViewWish } from "./view/how-to-view.ts";
export { pageValue } from "./view/page-value.ts";
export type { Range, ValuePage } from "./view/page-value.ts";
export type { Room } from "./view/room.ts";
export { briefContextOfNotes, contextOfNotes } from "./work-notes/context-of-notes.ts";
export { continuedNotes } from "./work-notes/continued-notes.ts";
export { isUnfinished } from "./work-notes/is-unfinished.ts";
export { LAYERS_OF_NOTES } from "./work-notes/layers-of-notes.ts";
export { noteEvents } from "./work-notes/note-events.ts";
export { NO_NOTES, type WorkNotes } from "./work-notes/work-notes.ts";
export type { ContextComparison, EntryChange, EntryState, LayerShift, LayerSize } from "./compare/compare-contexts.ts";
export { compareCheckpoints } from "./compare/compare-checkpoints.ts";
export type { CompareInput, ComparedCheckpoints, ComparedSide, ComparePorts } from "./compare/compare-checkpoints.ts";
export { storeConversation } from "./transcript/store-conversation.ts";
export type {
  ConversationCheckpoint,
  ConversationInput,
  ConversationPorts,
  KeptConversation,
  StoredConversation,
} from "./transcript/store-conversation.ts";

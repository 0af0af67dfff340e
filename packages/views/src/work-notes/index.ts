// Notes of the work that a transcript shows. An entry of its own, because hooks load nothing else.
export { briefContextOfNotes, contextOfNotes } from "./context-of-notes.ts";
export { continuedNotes } from "./continued-notes.ts";
export { isUnfinished } from "./is-unfinished.ts";
export { LAYERS_OF_NOTES } from "./layers-of-notes.ts";
export { noteEvents } from "./note-events.ts";
export { NO_NOTES, type WorkNotes } from "./work-notes.ts";

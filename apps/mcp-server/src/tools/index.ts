import type { LazyStore } from "../lazy-store.ts";
import type { Tool } from "../tool.ts";
import { storeSession } from "./store-session.ts";
import { checkpointDelete } from "./checkpoint-delete.ts";
import { checkpointGet } from "./checkpoint-get.ts";
import { checkpointList } from "./checkpoint-list.ts";
import { checkpointSave } from "./checkpoint-save.ts";
import { checkpointSearch } from "./checkpoint-search.ts";
import { workflowCheckpointList } from "./workflow-checkpoint-list.ts";
import { workflowCheckpointLoad } from "./workflow-checkpoint-load.ts";
import { workflowCheckpointSave } from "./workflow-checkpoint-save.ts";
import { workflowContextCompress } from "./workflow-context-compress.ts";
import { workflowContextPrioritize } from "./workflow-context-prioritize.ts";
import { workflowMarkCritical } from "./workflow-mark-critical.ts";
import { workflowResume } from "./workflow-resume.ts";

/** Creates all tools of the server, in the order of the list. */
export function createTools(store: LazyStore): readonly Tool[] {
  return [
    workflowCheckpointSave(store),
    workflowCheckpointLoad(store),
    workflowCheckpointList(store),
    workflowResume(store),
    workflowContextCompress(store),
    workflowContextPrioritize(store),
    workflowMarkCritical(store),
    storeSession(store),
    checkpointSave(store),
    checkpointSearch(store),
    checkpointList(store),
    checkpointGet(store),
    checkpointDelete(store),
  ];
}

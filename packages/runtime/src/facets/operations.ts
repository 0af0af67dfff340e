import type { Operations } from "../workrail.ts";
import { audit } from "./audit.ts";
import { care } from "./care.ts";
import { checkpoints } from "./checkpoints.ts";
import type { Facet } from "./operation.ts";
import { sessions } from "./sessions.ts";
import { transfers } from "./transfers.ts";
import { views } from "./views.ts";

/** Every operation of the library, once. */
export const OPERATIONS: Facet<Operations> = { ...checkpoints, ...views, ...sessions, ...care, ...audit, ...transfers };

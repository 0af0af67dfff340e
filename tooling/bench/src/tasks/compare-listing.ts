import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { BareListing } from "../bare-store.ts";
import { untilQuiet } from "../rest.ts";
import { openLibrary, PROJECT } from "./open-library.ts";

export interface ListingInput {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly effort: Effort;
}

export interface ListingResult {
  readonly ofSession: Comparison;
  readonly ofProject: Comparison;
}

const PAGE = 20;

/** Compares the first page of a session's and of a project's checkpoints with the two statements it needs, in turns. */
export async function compareListing({ dataDir, sessionId, effort }: ListingInput): Promise<ListingResult> {
  const library = await openLibrary(dataDir);
  const bareSession = new BareListing(dataDir, "session_id", PAGE);
  const bareProject = new BareListing(dataDir, "project", PAGE);
  await untilQuiet();
  const ofSession = await alternate(effort, {
    floor: () => bareSession.list(sessionId),
    measured: () => library.findCheckpoints({ sessionId, limit: PAGE }),
  });
  const ofProject = await alternate(effort, {
    floor: () => bareProject.list(PROJECT),
    measured: () => library.findCheckpoints({ project: PROJECT, limit: PAGE }),
  });
  bareSession.close();
  bareProject.close();
  await library.close();
  return { ofSession, ofProject };
}

import type { Called, ClientProgram, ErrorForm, Server } from "./client-program.ts";
import { versionOf } from "./run-program.ts";

/** Record of a client's abilities with the server: a line of the table. */
export interface Trial {
  readonly client: string;
  readonly version: string;
  readonly way: Server["way"];
  readonly tools: number;
  /** True when the state that was saved came back the same. */
  readonly savesAndLoads: boolean;
  /** True when a search for a word of the state found its checkpoint. */
  readonly searches: boolean;
  /** Form in which the error of a wrong call arrived; `undefined` when its code or its advice did not. */
  readonly error: ErrorForm | undefined;
}

/** A state with what clients get wrong: nesting, an empty object, null, a word beyond ASCII, a number that is not whole. */
const CONTEXT = { goal: "Prüfe the zeppelin 🛩", plan: [{ step: 1, done: false }, null], notes: {}, ratio: 0.1 };

/** Lists the tools, saves, loads, searches, and loads an unknown session. */
export async function tryClient(program: ClientProgram, server: Server, home: string): Promise<Trial> {
  const connection = await program.connect(server, home);
  try {
    const tools = await connection.tools();
    const sessionId = `${program.name} ${server.way}`;
    const saved = valueOf(await connection.call("workflow_checkpoint_save", { sessionId, context: CONTEXT }));
    const loaded = valueOf(await connection.call("workflow_checkpoint_load", { sessionId }));
    const { results } = valueOf(await connection.call("checkpoint_search", { query: "zeppelin", top_k: 50 }));
    const found = (results as readonly { readonly checkpoint: { readonly id: string } }[]).map(({ checkpoint }) => checkpoint.id);
    const failed = await connection.call("workflow_checkpoint_load", { sessionId: "nobody" });
    const isTold = failed.isError && failed.text.includes("SESSION_NOT_FOUND") && failed.text.includes("workflow_checkpoint_list");
    return {
      client: program.name,
      version: versionOf(program.packageName),
      way: server.way,
      tools: tools.length,
      savesAndLoads: JSON.stringify(loaded["context"]) === JSON.stringify(CONTEXT) && loaded["checkpointId"] === saved["checkpointId"],
      searches: found.includes(String(saved["checkpointId"])),
      error: isTold ? failed.form : undefined,
    };
  } finally {
    await connection.close();
  }
}

function valueOf(called: Called): Readonly<Record<string, unknown>> {
  if (called.isError) throw new Error(`A call failed: ${called.text}`);
  return called.value;
}

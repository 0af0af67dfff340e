import { invalidInput, isWorkrailError, ProcessLocking, type SessionId, WorkrailError } from "@workrail/core";
import type {
  CheckpointMetadata,
  CompressContextParams,
  MarkCriticalParams,
  PrioritizeContextParams,
  SaveCheckpointParams,
  SaveCheckpointResult,
} from "../context-management-service.ts";
import { eraseInputOf, type EraseParams, type EraseResult } from "../erasing.ts";
import type { Route, RoutedCall } from "../facade.ts";
import { operationOf } from "../facets/operations.ts";
import { GitReader } from "../git/read-git-state.ts";
import { forgetSessions } from "../hooks/forget-sessions.ts";
import type { IncomingSave } from "../hooks/incoming-save.ts";
import type { Caller } from "../isolation.ts";
import { findProject } from "../project.ts";
import type { CopyName, CopySessionParams } from "../overview.ts";
import type { ResumeParams, SavedRepositoryParams, SavedRepositoryResult } from "../resume/resume-params.ts";
import { isWork } from "../session-resolver.ts";
import type { Store } from "../store.ts";
import type { TakeSavesResult } from "../pushed-params.ts";
import type { ImportedText } from "../transfer.ts";
import type { CallerPlace } from "./caller-place.ts";
import type { Connection, SentCall } from "./connection.ts";
import { type InProgram, inProgram } from "./in-program.ts";
import { NodeIncoming } from "./node-incoming.ts";
import { copyOfWire, isCallback, WIRE_VERSION } from "./wire.ts";

/** Queue key of saves whose session does not exist yet. */
const NEW_SESSION = "" as SessionId;

/** Loads, after which a process continues in the loaded session. */
const LOADS: ReadonlySet<string> = new Set(["loadCheckpoint", "viewCheckpoint", "viewBriefly", "resumeWork", "handoff"]);

/** Codes for ids that lead to no checkpoint. */
const UNKNOWN: ReadonlySet<string> = new Set(["SESSION_NOT_FOUND", "CHECKPOINT_NOT_FOUND"]);

/** A call to send, with its parameters prepared. */
interface Prepared {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Default: the place of the store. */
  readonly place?: CallerPlace;
}

/**
 * Sends calls to a node. The node knows nothing of this machine and remembers no caller, so project, repository, rules of the project and
 * the sessions in use are found here.
 */
export class NodeRoute implements Route {
  readonly parts: Store["parts"];
  readonly project: string | undefined;
  readonly dataDir = undefined;
  readonly durability: Store["durability"];
  readonly isReadOnly: boolean;
  readonly #here: Store;
  readonly #connection: Connection;
  readonly #caller: Pick<Caller, "projects">;
  readonly #inProgram = inProgram({
    ask: (name, ...args) => this.#ask(name, args),
    stream: (name, ...args) => this.#stream({ name, args }),
  });
  readonly #incoming: NodeIncoming;
  readonly #inOrder = new ProcessLocking();
  readonly #underWay = new Set<Promise<unknown>>();

  /** @param here a store without content, for what this machine adds. */
  constructor(here: Store, connection: Connection, caller: Pick<Caller, "projects"> = {}) {
    this.#here = here;
    this.#connection = connection;
    this.#caller = caller;
    this.parts = here.parts;
    this.project = here.project;
    this.durability = here.durability;
    this.isReadOnly = here.isReadOnly;
    this.#incoming = new NodeIncoming(here.parts, (given) => this.#ask("takeSaves", [given]) as Promise<TakeSavesResult>);
  }

  /** Sends what hooks left on this machine. */
  async takeIncoming(): Promise<void> {
    await this.#tracked(this.#incoming.send());
  }

  run(call: RoutedCall): unknown {
    const { name, args, runs } = call;
    const { remote } = operationOf(name);
    if (remote === "at the node") throw atTheNode(name);
    if (name === "takeIncoming") return this.#tracked(this.#incoming.send(args[0] as readonly IncomingSave[] | undefined));
    if (remote === "here") return name in this.#inProgram ? this.#inProgram[name as keyof InProgram](...args) : call.on(this.#here);
    return runs === "stream" ? this.#stream({ name, args }) : this.#tracked(this.#ask(name, args));
  }

  partFor({ projects, subject }: Caller): NodeRoute {
    if (subject === undefined) return new NodeRoute(this.#here, this.#connection, { projects });
    throw invalidInput("subject", "A node identifies callers by their tokens.", "Leave subject out, or open the node with another token.");
  }

  async close(): Promise<void> {
    // Answers the calls made before.
    await Promise.allSettled(this.#underWay);
    this.#connection.close();
    await this.#here.close();
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Sends a call, with what only this machine knows. Streams are yielded. */
  #ask(name: string, args: readonly unknown[]): Promise<unknown> {
    const { sessions } = this.parts;
    const [params] = args;
    switch (name) {
      case "saveCheckpoint":
        return this.#save(params as SaveCheckpointParams);
      case "markCritical": {
        const given = params as MarkCriticalParams;
        const sessionId = sessions.forChange(given.sessionId);
        return this.#inOrder.inOrder(sessionId, () => this.#send({ name, args: [{ ...given, sessionId }] }));
      }
      case "compressContext":
      case "prioritizeContext": {
        const given = params as CompressContextParams | PrioritizeContextParams;
        return this.#send({ name, args: [{ ...given, sessionId: sessions.forAside(given.sessionId) }] });
      }
      case "resumeWork":
        return this.#resume((params as ResumeParams | undefined) ?? {});
      case "copySession":
        return this.#copy(params as CopySessionParams);
      case "erase":
        return this.#erase(params as EraseParams);
      case "importText":
        return this.#import(params as ImportedText, args[1]);
      default:
        return this.#send({ name, args });
    }
  }

  /** Saves in the order of the calls. Calls that name no session continue in the one that this process uses. */
  async #save(given: SaveCheckpointParams): Promise<SaveCheckpointResult> {
    const { sessions } = this.parts;
    const { workflowId } = given;
    const binds = isWork(given.kind);
    const found = (): SessionId | undefined => (binds ? sessions.whereTo(given.sessionId, workflowId, undefined) : undefined);
    // Copied: the caller may change it before its turn comes.
    const params = copyOfWire(given);
    return this.#inOrder.inOrder(found() ?? NEW_SESSION, async () => {
      const sessionId = params.sessionId ?? found();
      const result = (await this.#send({ name: "saveCheckpoint", args: [{ ...params, sessionId }] })) as SaveCheckpointResult;
      if (binds) sessions.saved(result.sessionId as SessionId, workflowId);
      return params.sessionId === sessionId ? result : { ...result, sessionReason: "process" };
    });
  }

  /** Names the copies here, since a function cannot be sent. */
  async #copy({ rename, ...params }: CopySessionParams): Promise<unknown> {
    if (typeof rename !== "function") return this.#send({ name: "copySession", args: [{ ...params, rename }] });
    const names = new Map<string, CopyName>();
    const all = this.#stream({ name: "eachCheckpoint", args: [{ sessionId: params.fromSessionId }] });
    for await (const { id, attributes = {} } of all as AsyncGenerator<CheckpointMetadata>) names.set(id, rename(id, attributes));
    return this.#send({ name: "copySession", args: [{ ...params, rename: names }] });
  }

  /** Has the hooks of this machine forget erased sessions, too. */
  async #erase(params: EraseParams): Promise<unknown> {
    const result = (await this.#send({ name: "erase", args: [params] })) as EraseResult;
    const input = eraseInputOf(params);
    if (!result.dryRun && "sessionIds" in input) forgetSessions(this.parts.settings.dataDir, input.sessionIds);
    return result;
  }

  /** Resumes in another directory of this machine if one is given. */
  async #resume({ cwd, ...params }: ResumeParams): Promise<unknown> {
    const project = cwd === undefined ? undefined : findProject(cwd);
    const own = await this.#place();
    const place = cwd === undefined ? own : { ...own, project, git: await new GitReader(project).read() };
    return this.#send({ name: "resumeWork", args: [params], place: { ...place, drift: await this.#driftSince(params, place) } });
  }

  /** Compares the repository, which the node cannot. */
  async #driftSince(params: ResumeParams, { git }: CallerPlace): Promise<CallerPlace["drift"]> {
    const { checkpointId, sessionId, since } = params;
    if (checkpointId === undefined && sessionId === undefined && since === undefined) return undefined;
    try {
      const ids: SavedRepositoryParams = { checkpointId, sessionId, since };
      const saved = (await this.#send({ name: "savedRepository", args: [ids] })) as SavedRepositoryResult | undefined;
      if (saved === undefined) return undefined;
      const { findDriftHere } = await import("../resume/find-drift.ts");
      return { checkpointId: saved.checkpointId, drift: await findDriftHere(saved, git) };
    } catch (error) {
      // An unknown id leads to candidates.
      if (isWorkrailError(error) && UNKNOWN.has(error.code)) return undefined;
      throw error;
    }
  }

  /** Sends a text that can be read only once. */
  async #import(text: ImportedText, options: unknown): Promise<unknown> {
    const pieces: (Uint8Array | string)[] = [];
    for await (const piece of text) pieces.push(piece);
    return this.#send({ name: "importText", args: [pieces, options] });
  }

  async #send(prepared: Prepared): Promise<unknown> {
    const result = await this.#connection.send(await this.#message(prepared));
    const { name, args } = prepared;
    const { isPeek } = (args[0] ?? {}) as { readonly isPeek?: boolean };
    const loaded = result as { readonly sessionId?: SessionId; readonly metadata?: { workflowId?: string; kind?: never } } | undefined;
    if (LOADS.has(name) && isPeek !== true && loaded?.sessionId !== undefined && isWork(loaded.metadata?.kind)) {
      this.parts.sessions.loaded(loaded.sessionId, loaded.metadata?.workflowId);
    }
    return result;
  }

  async *#stream(prepared: Prepared): AsyncGenerator {
    yield* this.#connection.stream(await this.#message(prepared));
  }

  /** Functions and signals stay here. */
  async #message({ name, args, place }: Prepared): Promise<SentCall> {
    const { params, changes, remote } = operationOf(name);
    const given = (params === undefined ? undefined : args[params.at]) as Readonly<Record<string, unknown>> | undefined;
    const { signal, ...fields } = given ?? {};
    const told = Object.entries(fields).filter(([field, value]) => typeof value === "function" && isCallback(field));
    const functions = Object.fromEntries(told);
    // Functions whose answer the node needs are refused when the parameters are written.
    const plain = Object.fromEntries(Object.entries(fields).filter(([field]) => !Object.hasOwn(functions, field)));
    const sent = params === undefined || given === undefined ? args : Object.assign([...args], { [params.at]: plain });
    const callId = this.parts.ids.checkpointId();
    return {
      operation: name,
      body: {
        version: WIRE_VERSION,
        args: sent,
        place: { ...(place ?? (await this.#place())), callId },
        projects: this.#caller.projects,
        calls: Object.keys(functions),
      },
      isRepeatable: changes === undefined || remote === "repeatable",
      functions: functions as SentCall["functions"],
      signal: signal as SentCall["signal"],
    };
  }

  async #place(): Promise<CallerPlace> {
    const { git, rules, project } = this.#here;
    const { inFile, warning } = await rules.inFile();
    return { project, git: await git.read(), rules: inFile, rulesWarning: warning };
  }
}

function atTheNode(name: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${name} needs the disk of the node, so it runs only on the node's machine.`, {
    details: { field: "store", operation: name },
    hint: "Run it on the machine of the node, with the node's own store.",
  });
}

import type { Log } from "@workrail/core";
import type { StoreChanges } from "@workrail/runtime";
import { ProtocolFault, RPC_ERROR } from "../json-rpc.ts";
import { withProtocolCode, unknownResource } from "../resource-requests.ts";
import { type Concern, matchUri, type Resource } from "../resource.ts";
import type { Notices, Tell, Wanted } from "./notices.ts";
import { Outbox } from "./outbox.ts";
import type { SharedWatches, WatchedProject } from "./shared-watches.ts";

/** Most resources that one subscription names. */
export const MOST_URIS = 100;

export interface StoreNoticesOptions {
  readonly watches: SharedWatches;
  readonly resources: readonly Resource[];
  /** True when the store is for one project: then notices are only of its own sessions, also for those that a client names. */
  readonly isStrict: boolean;
  readonly log: Log;
}

/** A resource that a client subscribes to. */
interface SubscribedResource extends Concern {
  readonly uri: string;
}

/** Notices of the resources of a store. */
export class StoreNotices implements Notices {
  readonly #options: StoreNoticesOptions;

  constructor(options: StoreNoticesOptions) {
    this.#options = options;
  }

  known(uris: readonly string[]): readonly string[] {
    return uris.filter((uri) => this.#find(uri) !== undefined);
  }

  async watch({ uris, list }: Wanted, tell: Tell, signal: AbortSignal): Promise<void> {
    if (uris.length > MOST_URIS) throw new ProtocolFault(RPC_ERROR.invalidParams, `One subscription names at most ${MOST_URIS} resources.`);
    const told = await Promise.all([...new Set(uris)].map((uri) => this.#told(uri)));
    const outbox = new Outbox(tell, signal);
    const named = told.filter(({ isNamed }) => isNamed);
    const others = told.filter(({ isNamed }) => !isNamed);
    const tellOf = (some: readonly SubscribedResource[], changes: StoreChanges): void => {
      for (const each of some) void this.#addIfConcerned(each, changes, outbox);
    };
    if (list || others.length > 0) {
      const listener = (changes: StoreChanges): void => {
        if (list && changesList(changes)) outbox.add();
        tellOf(others, changes);
      };
      await this.#join(undefined, listener, signal);
    }
    if (named.length > 0) await this.#join(this.#options.isStrict ? undefined : null, (changes) => tellOf(named, changes), signal);
  }

  async #addIfConcerned({ uri, isConcerned }: SubscribedResource, changes: StoreChanges, outbox: Outbox): Promise<void> {
    try {
      if (await isConcerned(changes)) outbox.add(uri);
    } catch (error) {
      // The client looks for itself.
      this.#options.log.debug("cannot tell whether a resource changed", { error });
      outbox.add(uri);
    }
  }

  async #join(project: WatchedProject, listener: (changes: StoreChanges) => void, signal: AbortSignal): Promise<void> {
    const { watches, log } = this.#options;
    const leave = await withProtocolCode(() => watches.join(project, listener), log);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  }

  async #told(uri: string): Promise<SubscribedResource> {
    const { resources, log } = this.#options;
    const found = this.#find(uri);
    if (found === undefined) throw unknownResource(resources, uri);
    return { uri, ...(await withProtocolCode(found, log, uri)) };
  }

  /** Returns the function that prepares notices of a resource; `undefined` for an unknown one. */
  #find(uri: string): (() => Promise<Concern>) | undefined {
    for (const resource of this.#options.resources) {
      const variables = matchUri(resource, uri);
      if (variables !== undefined && resource.concern !== undefined) return async () => resource.concern?.(variables) as Promise<Concern>;
    }
    return undefined;
  }
}

/** Tells whether resources appeared in the list, or disappeared. */
function changesList({ sessions, isUnknown }: StoreChanges): boolean {
  return isUnknown === true || sessions.some(({ change }) => change === "added" || change === "removed");
}

/** The resources whose changes a client subscribes to. */
export interface Wanted {
  readonly uris: readonly string[];
  /** True for a notice when resources appear in the list, or disappear. */
  readonly list: boolean;
}

/** A notice, as the protocol has it. */
export type Notice =
  | { readonly method: "notifications/resources/updated"; readonly params: { readonly uri: string } }
  | { readonly method: "notifications/resources/list_changed" };

/** Sends a notice. Resolves when there is room for another. */
export type Tell = (notice: Notice) => Promise<void>;

/** Tells clients that resources changed, whichever process changed them. */
export interface Notices {
  /** Returns those of some URIs that can change. */
  known(uris: readonly string[]): readonly string[];
  /**
   * Begins to watch. Resolves when all later changes will be reported; changes are merged while `tell` does not resolve. Ends
   * with the signal.
   *
   * @throws ProtocolFault when one of the resources is unknown, or when there are too many.
   */
  watch(wanted: Wanted, tell: Tell, signal: AbortSignal): Promise<void>;
}

/** Capability of resources where notices work. */
export const WITH_NOTICES = { subscribe: true, listChanged: true } as const;

/** A resource that a host may show or attach, independent of any MCP library. Its content is one JSON object. */
export interface Resource {
  readonly uri: string;
  /** For programs. Hosts may show it when there is no title. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Rejects with a coded error for a failure that the reader should know. */
  read(): Promise<object>;
}

/** A resource as `resources/list` shows it. */
export interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: "application/json";
}

/** Describes one resource for `resources/list`. */
export function listResource({ uri, name, title, description }: Resource): ResourceListing {
  return { uri, name, title, description, mimeType: "application/json" };
}

import type { StoreChanges } from "@workrail/runtime";

/** Resources that a host may show or attach, independent of any MCP library. Each content is one JSON object. */
export interface Resource {
  /**
   * One URI, or a template for many: `workrail://sessions/{sessionId}/latest`. A variable stands for one percent-encoded part of the path
   * (RFC 6570, simple expansion).
   */
  readonly uri: string;
  /** For programs. Hosts may show it when there is no title. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Default: `application/json`. */
  readonly mimeType?: string;
  /** Returns an object, or the text of a resource of another kind. Rejects with a coded error for a failure that the reader should know. */
  read(variables: Variables): Promise<object | string>;
  /** Lists existing resources of a template, a page at a time. Absent: they are not listed. */
  readonly list?: (cursor: string | undefined) => Promise<ListedResources>;
  /** Suggests values of a template's variable that begin with what is typed. Absent: none. */
  readonly complete?: Complete;
  /** Finds out which changes concern the resource, for those who subscribe to it. Absent: nobody can. Rejects as `read` does. */
  readonly concern?: (variables: Variables) => Promise<Concern>;
}

/** The changes of a store that concern a resource. */
export interface Concern {
  /** True for a resource that names a session or checkpoint, of whichever project. False: only changes of the server's project count. */
  readonly isNamed: boolean;
  readonly isConcerned: (changes: StoreChanges) => boolean | Promise<boolean>;
}

/** Values by name. */
export type Variables = Readonly<Record<string, string>>;

/** @param known values of other variables or arguments that are chosen already. */
export type Complete = (name: string, typed: string, known: Variables) => Promise<readonly string[]>;

export interface ListedResources {
  readonly resources: readonly { readonly variables: Variables; readonly name: string; readonly title?: string | undefined }[];
  /** Continues the list; absent at its end. */
  readonly nextCursor?: string | undefined;
}

/** A resource as `resources/list` shows it. */
export interface ResourceListing {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: "application/json";
}

const VARIABLE = /^\{(\w+)\}$/u;

export function isTemplate({ uri }: Resource): boolean {
  return uri.includes("{");
}

/** Describes one resource for `resources/list`. */
export function listResource({ uri, name, title, description }: Resource): ResourceListing {
  return { uri, name, title, description, mimeType: "application/json" };
}

/** Describes a template for `resources/templates/list`. */
export function listTemplate({ uri, name, title, description }: Resource): object {
  return { uriTemplate: uri, name, title, description, mimeType: "application/json" };
}

/** Fills the variables of a template. */
export function expandUri(template: string, variables: Variables): string {
  const parts = template.split("/").map((part) => {
    const name = VARIABLE.exec(part)?.[1];
    return name === undefined ? part : encodeURIComponent(variables[name] ?? "");
  });
  return parts.join("/");
}

/** Returns the variables with which a resource has this URI, or `undefined` when it never has. */
export function matchUri({ uri: template }: Resource, uri: string): Variables | undefined {
  const parts = uri.split("/");
  const wanted = template.split("/");
  if (parts.length !== wanted.length) return undefined;
  const variables: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const name = VARIABLE.exec(part)?.[1];
    const given = parts[index] ?? "";
    if (name === undefined && given !== part) return undefined;
    if (name === undefined) continue;
    const value = decoded(given);
    if (value === undefined || value === "") return undefined;
    variables[name] = value;
  }
  return variables;
}

/** A wrong percent-encoding names nothing. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

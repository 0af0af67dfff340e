/** The built server, as a client reaches it. */
export type Server =
  | { readonly way: "stdio"; readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly way: "HTTP"; readonly url: URL };

/** A client that another project wrote. */
export interface ClientProgram {
  readonly name: string;
  /** Package whose version the table names. */
  readonly packageName: string;
  /** @param home a directory of its own, for programs that keep files in the home directory. */
  connect(server: Server, home: string): Promise<Connection>;
}

/** A client that is connected to a server. */
export interface Connection {
  /** Resolves to the names of the tools that the client offers its user. */
  tools(): Promise<readonly string[]>;
  call(tool: string, given: Readonly<Record<string, unknown>>): Promise<Called>;
  close(): Promise<void>;
}

/** Outcome of a call, as the client hands it to its user. */
export type Called =
  | { readonly isError: false; readonly value: Readonly<Record<string, unknown>> }
  | { readonly isError: true; readonly text: string; readonly form: ErrorForm };

/** Form in which a failed call reaches the user of a client. */
export type ErrorForm = "result with isError" | "exception" | `exit code ${number}`;

/** A result of the protocol, in the fields that clients hand on. */
export interface ProtocolResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Reads a result that a client hands on as it came. */
export function calledFrom({ content, structuredContent, isError = false }: ProtocolResult): Called {
  const text = (content as readonly { readonly text?: string }[] | undefined)?.[0]?.text ?? "";
  if (isError) return { isError: true, text, form: "result with isError" };
  return { isError: false, value: structuredContent as Readonly<Record<string, unknown>> };
}

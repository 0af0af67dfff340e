/** Configures and starts one host without a login. */
export interface HostProgram {
  /** Its name in `node_modules/.bin`. */
  readonly binary: string;
  /** The package on npm and the version that was tried. */
  readonly packageName: string;
  readonly version: string;
  /** Writes the configuration that points to the endpoint, where a file does not exist yet. */
  readonly configure: (places: Places) => Promise<void>;
  readonly environment: (places: Places) => Readonly<Record<string, string>>;
  /** Starts of the program that send these prompts, in their order, in one conversation. */
  readonly starts: (prompts: readonly string[], options: StartOptions) => readonly Start[];
  /** Folder below the home directory that holds transcripts, and the files in it that are transcripts. */
  readonly transcripts: {
    readonly folder: string;
    readonly isOne: (path: string) => boolean;
    /** The transcript of a sub-agent, where a host keeps one. */
    readonly isOfSubagent?: (path: string) => boolean;
  };
}

/** The folders and the endpoint of one run. */
export interface Places {
  readonly home: string;
  readonly project: string;
  readonly endpointUrl: string;
}

/** The conversation to continue. */
export interface StartOptions {
  readonly continues: boolean;
}

/** One process of a host. */
export interface Start {
  readonly args: readonly string[];
  /** Lines for its standard input. The next one is sent when `isAnswered` says so of a line of its output; without it all are sent at once. */
  readonly input?: { readonly lines: readonly string[]; readonly isAnswered?: (line: string) => boolean };
}

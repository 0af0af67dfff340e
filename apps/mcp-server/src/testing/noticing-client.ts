import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { type Command, COMPILED } from "./raw-client.ts";

const INFO = { name: "noticing-client", version: "1.0" };
/** Notice of the list, as the tests write it. */
export const LIST = "list";

/** A client that subscribes to changes. */
export interface NoticingClient {
  readonly capabilities: () => unknown;
  /** Subscribes to resources, and to the list where `LIST` is among them. Resolves to those that the server agrees to. */
  subscribe(wanted: readonly string[]): Promise<readonly string[]>;
  /** Ends every subscription. */
  unsubscribe(): Promise<void>;
  callTool(
    name: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly isError?: boolean; readonly structuredContent?: unknown }>;
  /** Takes the notices that came. */
  taken(): readonly string[];
  /** Resolves when a notice of each of these arrived, and removes them. Others stay. */
  told(...expected: readonly string[]): Promise<void>;
  /** Resolves to the end of the last subscription. */
  ending(): Promise<string>;
  close(): Promise<void>;
}

/** Keeps the notices that a client gets. */
class Told {
  #notices: string[] = [];
  #wake: () => void = () => {};

  readonly add = (notice: string): void => {
    this.#notices.push(notice);
    this.#wake();
  };

  readonly taken = (): readonly string[] => {
    const all = this.#notices;
    this.#notices = [];
    return all;
  };

  readonly told = async (...expected: readonly string[]): Promise<void> => {
    while (!expected.every((each) => this.#notices.includes(each))) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#notices = this.#notices.filter((each) => !expected.includes(each));
  };
}

/** Connects by protocol 2025-11-25 over standard streams, with either version of the MCP library. */
export async function noticingOld(library: "v1" | "v2", command: Command, env: Readonly<Record<string, string>>): Promise<NoticingClient> {
  const told = new Told();
  const server = { ...command, args: [...command.args], env: { ...COMPILED, ...env }, stderr: "ignore" as const };
  const client = library === "v1" ? new ClientV1(INFO) : new ClientV2(INFO, { versionNegotiation: { mode: "legacy" } });
  if (client instanceof ClientV1) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.add(params.uri));
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => told.add(LIST));
    await client.connect(new StdioV1(server));
  } else {
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => told.add(params.uri));
    client.setNotificationHandler("notifications/resources/list_changed", () => told.add(LIST));
    await client.connect(new StdioV2(server));
  }
  const uris: string[] = [];
  return {
    capabilities: () => client.getServerCapabilities(),
    async subscribe(wanted) {
      for (const uri of wanted) {
        if (uri === LIST) await client.listResources();
        else await client.subscribeResource({ uri });
        if (uri !== LIST) uris.push(uri);
      }
      return wanted;
    },
    async unsubscribe() {
      for (const uri of uris.splice(0)) await client.unsubscribeResource({ uri });
    },
    callTool: (name, given) => client.callTool({ name, arguments: given }) as ReturnType<NoticingClient["callTool"]>,
    taken: told.taken,
    told: told.told,
    ending: () => Promise.reject(new Error("Such a subscription ends with the connection.")),
    close: () => client.close(),
  };
}

/** Connects by protocol 2026-07-28 over standard streams, or to a server on HTTP. */
export async function noticingNew(
  to: { readonly command: Command; readonly env: Readonly<Record<string, string>> } | { readonly url: URL; readonly token?: string },
): Promise<NoticingClient> {
  const told = new Told();
  const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => told.add(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => told.add(LIST));
  if ("command" in to)
    await client.connect(new StdioV2({ ...to.command, args: [...to.command.args], env: { ...COMPILED, ...to.env }, stderr: "ignore" }));
  else {
    const requestInit = to.token === undefined ? {} : { headers: { Authorization: `Bearer ${to.token}` } };
    await client.connect(new HttpV2(to.url, { requestInit }));
  }
  const open: Awaited<ReturnType<typeof client.listen>>[] = [];
  return {
    capabilities: () => client.getServerCapabilities(),
    async subscribe(wanted) {
      const uris = wanted.filter((uri) => uri !== LIST);
      const list = uris.length < wanted.length;
      const opened = await client.listen({ resourceSubscriptions: uris, ...(list ? { resourcesListChanged: true } : {}) });
      open.push(opened);
      const { resourceSubscriptions = [], resourcesListChanged = false } = opened.honoredFilter;
      return [...resourceSubscriptions, ...(resourcesListChanged ? [LIST] : [])];
    },
    async unsubscribe() {
      for (const each of open.splice(0)) await each.close();
    },
    callTool: (name, given) => client.callTool({ name, arguments: { ...given } }) as ReturnType<NoticingClient["callTool"]>,
    taken: told.taken,
    told: told.told,
    ending: () => open.at(-1)?.closed ?? Promise.reject(new Error("There is none.")),
    close: () => client.close(),
  };
}

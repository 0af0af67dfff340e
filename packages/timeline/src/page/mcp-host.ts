import { App } from "@modelcontextprotocol/ext-apps";
import type { CallName } from "../data/calls.ts";
import { PAGE_TOOL } from "../data/page-tool.ts";
import { CallError, type Host } from "./host.ts";
import { go } from "./route.ts";
import { apiOver } from "./server-host.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Connects the page with the host of an agent, which passes calls on to the MCP server. There is no network. */
export function connectToMcpHost(): Host {
  const app = new App({ name: "workrail-timeline", version: "1" });
  app.ontoolresult = ({ structuredContent }) => showWhatWasAsked(structuredContent as Fields | undefined);
  app.onhostcontextchanged = ({ displayMode }) => showAs(displayMode);
  const ready = app.connect().then(() => showAs(app.getHostContext()?.displayMode));

  async function call(name: CallName, params: unknown): Promise<unknown> {
    const {
      isError,
      structuredContent,
      content,
      _meta: meta,
    } = await app.callServerTool({ name: PAGE_TOOL, arguments: { call: name, params } });
    if (isError !== true) return (structuredContent as Fields | undefined)?.["answer"];
    const [first] = content;
    const text = first?.type === "text" ? first.text : "The server did not answer.";
    const code = meta?.["code"];
    throw new CallError(typeof code === "string" ? code : "INTERNAL", text);
  }

  return {
    ready,
    api: apiOver(call),
    async sendToAgent(text) {
      const { isError } = await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
      if (isError === true) throw new Error("it refused");
    },
    async showWhole() {
      const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
      showAs(mode);
    },
  };
}

/** Shows the session or checkpoint that the tool was about, which opened the page. */
function showWhatWasAsked(result: Fields | undefined): void {
  const { sessionId, checkpointId } = result ?? {};
  if (typeof sessionId !== "string") return;
  go({ sessionId, checkpointId: typeof checkpointId === "string" ? checkpointId : undefined });
}

/** Within a conversation there is little room: one part of the page at a time. */
function showAs(mode: string | undefined): void {
  document.documentElement.classList.toggle("inline", mode === undefined || mode === "inline");
}

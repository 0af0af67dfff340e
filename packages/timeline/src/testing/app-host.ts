// A host of an agent for tests: shows the page in a sandboxed frame without an origin, over the official bridge.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** Functions that the test provides. */
interface Provided {
  /** The page, as the server gives it. */
  readonly readPage: () => Promise<string>;
  readonly callTool: (params: object) => Promise<object>;
  readonly heard: (text: string) => Promise<void>;
  /** Result of the tool that opens the page. */
  readonly openingResult: () => Promise<object>;
}

const provided = globalThis as unknown as Provided;

const frame = document.createElement("iframe");
frame.title = "Timeline";
frame.setAttribute("sandbox", "allow-scripts");
frame.style.cssText = "width: 700px; height: 600px; border: 0";
document.body.append(frame);

const bridge = new AppBridge(
  null,
  { name: "test-host", version: "1" },
  { serverTools: {}, message: { text: {} } },
  {
    hostContext: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] },
  },
);
bridge.oncalltool = async (params) => (await provided.callTool(params)) as never;
// oxlint-disable-next-line unicorn/prefer-add-event-listener -- The bridge has properties for what it answers.
bridge.onmessage = async ({ content }) => {
  await provided.heard(JSON.stringify(content));
  return {};
};
bridge.onrequestdisplaymode = async ({ mode }) => {
  frame.style.width = mode === "fullscreen" ? "1240px" : "700px";
  return { mode };
};
bridge.oninitialized = () => {
  void provided.openingResult().then((result) => bridge.sendToolResult(result as never));
};
const { contentWindow } = frame;
if (contentWindow === null) throw new Error("The frame has no window.");
await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
frame.srcdoc = await provided.readPage();

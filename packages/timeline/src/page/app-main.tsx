import "./without-eval.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { connectToMcpHost } from "./mcp-host.ts";
import "./style.css";

const root = document.querySelector("#page");
if (root !== null) render(<App host={connectToMcpHost()} />, root);

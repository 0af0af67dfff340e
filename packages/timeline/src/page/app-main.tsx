import "./without-eval.ts";
import { connectToMcpHost } from "./mcp-host.ts";
import { showPage } from "./show-page.tsx";
import "./style.css";

showPage(connectToMcpHost());

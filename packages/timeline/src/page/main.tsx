import { render } from "preact";
import { App } from "./app.tsx";
import { savedHost } from "./saved-host.ts";
import { connectToServer } from "./server-host.ts";
import "./style.css";

const root = document.querySelector("#page");
if (root !== null) render(<App host={savedHost() ?? connectToServer()} />, root);

import { render } from "preact";
import { App } from "./app.tsx";
import { connectToServer } from "./server-host.ts";
import "./style.css";

const root = document.querySelector("#page");
if (root !== null) render(<App host={connectToServer()} />, root);

import { savedHost } from "./saved-host.ts";
import { connectToServer } from "./server-host.ts";
import { showPage } from "./show-page.tsx";
import "./style.css";

showPage(savedHost() ?? connectToServer());

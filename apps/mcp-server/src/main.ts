import { setOwnName } from "@workrail/process";
import { startServer } from "./start-server.ts";

// Before any file is created: the umask determines the mode of SQLite's files.
process.umask(0o077);
setOwnName("workrail-mcp");

const args = process.argv.slice(2);
if (args[0] === "token") void import("./token-command.ts").then(({ runTokenCommand }) => runTokenCommand(args.slice(1)));
else startServer(args);

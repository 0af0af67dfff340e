// Preloaded into a process: blocks a thread for files, or a worker, on a pipe without a writer.
import { open } from "node:fs";
import { Worker } from "node:worker_threads";

const pipe = process.env["HANG_ON"] ?? "";
const READ_FOR_EVER = 'require("node:fs").readFileSync(require("node:worker_threads").workerData)';

if (process.env["HANG"] === "file") open(pipe, "r", () => {});
// Delayed, so that the code that watches workers is installed first.
if (process.env["HANG"] === "worker") setTimeout(() => new Worker(READ_FOR_EVER, { eval: true, workerData: pipe }).unref(), 500);

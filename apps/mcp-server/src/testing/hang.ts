// Loaded into a process before anything else: has a thread for files, or a worker, wait for a pipe that nobody writes to.
import { open } from "node:fs";
import { Worker } from "node:worker_threads";

const pipe = process.env["HANG_ON"] ?? "";
const READ_FOR_EVER = 'require("node:fs").readFileSync(require("node:worker_threads").workerData)';

if (process.env["HANG"] === "file") open(pipe, "r", () => {});
// Whoever watches for workers must be able to do so first.
if (process.env["HANG"] === "worker") setTimeout(() => new Worker(READ_FOR_EVER, { eval: true, workerData: pipe }).unref(), 500);

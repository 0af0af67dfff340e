// One process of the agent. Arguments: the directory of the store, the ledger, and optionally the invoice in whose node it hangs.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { WorkrailSaver } from "@workrail/langgraph";
import { openWorkrail } from "@workrail/runtime";

const INVOICES = ["bread.txt", "cheese.txt", "milk.txt", "honey.txt", "salt.txt"];
const [dataDir = "", ledger = "", hangsAt] = process.argv.slice(2);

/** Stands in for a model: asks for the next invoice to be registered, until all are. */
function model(messages: readonly unknown[]): AIMessage {
  const done = messages.filter((message) => message instanceof ToolMessage).length;
  const invoice = INVOICES[done];
  if (invoice === undefined) return new AIMessage(`${done} invoices are registered.`);
  return new AIMessage({ content: "", tool_calls: [{ id: `call-${done}`, name: "register", args: { invoice }, type: "tool_call" }] });
}

/** A node may run again after a kill: it looks first if its work is done. */
function register(invoice: string): void {
  const known = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : [];
  if (!known.includes(invoice)) appendFileSync(ledger, `${invoice}\n`);
}

await using store = await openWorkrail({ dataDir, project: null });
const graph = new StateGraph(MessagesAnnotation)
  .addNode("think", ({ messages }) => ({ messages: [model(messages)] }))
  .addNode("act", async ({ messages }) => {
    const calls = (messages.at(-1) as AIMessage).tool_calls ?? [];
    for (const { args } of calls) register(String(args["invoice"]));
    if (calls.some(({ args }) => args["invoice"] === hangsAt)) {
      console.log("hangs");
      await setTimeout(60_000);
    }
    return { messages: calls.map(({ id = "", args }) => new ToolMessage(`registered ${String(args["invoice"])}`, id)) };
  })
  .addEdge(START, "think")
  .addConditionalEdges("think", ({ messages }) => ((messages.at(-1) as AIMessage).tool_calls?.length ? "act" : END))
  .addEdge("act", "think")
  .compile({ checkpointer: new WorkrailSaver(store) });

const config = { configurable: { thread_id: "invoices" }, durability: "sync" as const, recursionLimit: 100 };
const { next, values } = await graph.getState(config);
if (next.length > 0) console.log(`${(values as { messages: unknown[] }).messages.length} messages, next ${next.join(", ")}`);
const input = next.length > 0 ? null : { messages: [new HumanMessage("Register the invoices.")] };
const { messages } = await graph.invoke(input, config);
console.log(messages.at(-1)?.text);

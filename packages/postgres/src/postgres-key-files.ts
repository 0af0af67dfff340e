import type { BlobRef, KeyFiles, KeyPlace } from "@workrail/core";
import { ask } from "./ask.ts";
import { builder } from "./queries/query-builder.ts";
import type { Transactions } from "./transactions.ts";

/** Keys in a table of the catalog's database, which makes its own copies. A session's key has the name of the folder of its blobs. */
export class PostgresKeyFiles implements KeyFiles {
  readonly #tenant: string;
  readonly #transactions: Transactions;

  constructor(tenant: string, transactions: Transactions) {
    this.#tenant = tenant;
    this.#transactions = transactions;
  }

  async read(place: KeyPlace): Promise<Uint8Array | undefined> {
    const query = builder.selectFrom("key").select("bytes").where("tenant_id", "=", this.#tenant).where("place", "=", folderOf(place));
    const [row] = await this.#transactions.run((connection) => ask(connection, query));
    return row === undefined ? undefined : Uint8Array.from(row.bytes);
  }

  async write(place: KeyPlace, bytes: Uint8Array, mode: "if-absent" | "replace"): Promise<boolean> {
    const insert = builder.insertInto("key").values({ tenant_id: this.#tenant, place: folderOf(place), bytes });
    const query = insert
      .onConflict((conflict) => {
        const taken = conflict.columns(["tenant_id", "place"]);
        return mode === "replace" ? taken.doUpdateSet((eb) => ({ bytes: eb.ref("excluded.bytes") })) : taken.doNothing();
      })
      .returning("place");
    return (await this.#transactions.run((connection) => ask(connection, query))).length > 0;
  }

  async mend(): Promise<void> {}

  async *sessions(): AsyncGenerator<BlobRef> {
    const query = builder.selectFrom("key").select("place").where("tenant_id", "=", this.#tenant).where("place", "!=", "store");
    const rows = await this.#transactions.run((connection) => ask(connection, query.orderBy("place")));
    for (const { place } of rows) yield `${place}/any.json.gz` as BlobRef;
  }

  /** The database may keep a deleted key until its pages and its log are written anew. */
  async destroy(place: BlobRef): Promise<void> {
    const folder = folderOf(place);
    const removals = [
      builder.deleteFrom("key").where("tenant_id", "=", this.#tenant).where("place", "=", folder),
      ...(["blob", "quarantine"] as const).map((table) => {
        // `0` is the character after `/`.
        const ofTenant = builder.deleteFrom(table).where("tenant_id", "=", this.#tenant);
        return ofTenant.where("ref", ">", `${folder}/`).where("ref", "<", `${folder}0`);
      }),
    ];
    await this.#transactions.run((connection) => Promise.all(removals.map((removal) => ask(connection, removal))));
  }

  async destroyAll(): Promise<void> {
    const removal = builder.deleteFrom("key").where("tenant_id", "=", this.#tenant);
    await this.#transactions.run((connection) => ask(connection, removal));
  }
}

function folderOf(place: KeyPlace): string {
  return place === "store" ? place : place.slice(0, place.lastIndexOf("/"));
}

import type { Log } from "@workrail/core";
import type { LazyStore } from "./lazy-store.ts";

/** Most unused stores of tenants that stay open: each keeps its lease in the database. */
const MOST_IDLE = 32;
/** Most stores of tenants that are in use at the same time. */
const MOST_USED = 128;

interface TenantStore {
  readonly store: LazyStore;
  /** Requests that are under way, subscriptions included. */
  requests: number;
}

export interface TenantsOptions {
  /** Makes the store of a tenant, without opening it. */
  readonly storeOf: (tenant: string) => LazyStore;
  readonly log: Log;
  readonly mostIdle?: number;
  readonly mostUsed?: number;
}

/** Stores of the tenants that callers name. Each is opened when it is first asked for; idle ones are closed when there are many. */
export class Tenants {
  readonly #options: Required<TenantsOptions>;
  /** The last used at the end. */
  readonly #tenants = new Map<string, TenantStore>();

  readonly #closing = new Set<Promise<void>>();

  constructor(options: TenantsOptions) {
    this.#options = { mostIdle: MOST_IDLE, mostUsed: MOST_USED, ...options };
  }

  /** Returns the store of a tenant, always the same one. */
  storeOf(tenant: string): LazyStore {
    return this.#of(tenant).store;
  }

  /** Keeps the store of a tenant open for a request. Returns the function that ends this; `undefined` when too many tenants are in use. */
  use(tenant: string): (() => void) | undefined {
    const one = this.#of(tenant);
    if (one.requests === 0 && this.#used >= this.#options.mostUsed) return undefined;
    one.requests += 1;
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, one);
    this.#closeIdle();
    let isUsed = true;
    return () => {
      if (isUsed) one.requests -= 1;
      isUsed = false;
    };
  }

  /** Closes every store. */
  async close(): Promise<void> {
    await Promise.all([...[...this.#tenants.values()].map(({ store }) => store.close()), ...this.#closing]);
  }

  get #used(): number {
    return [...this.#tenants.values()].filter(({ requests }) => requests > 0).length;
  }

  #of(tenant: string): TenantStore {
    const one = this.#tenants.get(tenant) ?? { store: this.#options.storeOf(tenant), requests: 0 };
    this.#tenants.set(tenant, one);
    return one;
  }

  #closeIdle(): void {
    const idle = [...this.#tenants.values()].filter(({ store, requests }) => requests === 0 && store.canBeClosed);
    for (const { store } of idle.slice(0, Math.max(0, idle.length - this.#options.mostIdle))) {
      const closing = store.close().catch((error: unknown) => this.#options.log.error("the store of a tenant was not closed", { error }));
      this.#closing.add(closing);
      void closing.finally(() => this.#closing.delete(closing));
    }
  }
}

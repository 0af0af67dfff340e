import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SETTING_NAMES, namesOf, variableOf } from "@workrail/runtime/settings";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { buildProgram } from "../../../apps/cli/src/program.ts";
import { ROOT } from "./workspace.ts";

type Texts = Readonly<Record<string, string>>;

/** Fields of a service of Compose that these tests read. */
interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly entrypoint?: unknown;
  readonly environment: Texts;
  readonly depends_on?: unknown;
}

/** Fields of a container of Kubernetes, its pod, and the object that makes the pod. */
interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly command?: unknown;
  readonly env: readonly { readonly name: string; readonly valueFrom?: unknown }[];
  readonly envFrom?: unknown;
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly securityContext: unknown;
}
interface Pod {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
  readonly securityContext: unknown;
}
interface Spec {
  readonly template?: { readonly spec: Pod };
  readonly jobTemplate?: { readonly spec: Spec };
}
interface KubernetesObject {
  readonly kind: string;
  readonly spec: Spec;
}

const read = (path: string): string => readFileSync(join(ROOT, "deploy", path), "utf8");
const variables = SETTING_NAMES.flatMap(namesOf).map(variableOf);
const commands = buildProgram().commands;

/** Returns the unknown arguments of a container. */
function unknownIn(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  const options = args.filter((each) => each.startsWith("--"));
  if (first.startsWith("--"))
    return options.filter((each) => !variables.includes(`WORKRAIL_${each.slice(2).toUpperCase().replaceAll("-", "_")}`));
  const command = commands.find((each) => each.name() === first);
  if (command === undefined) return [first];
  return options.filter((each) => each !== "--json" && !command.options.some(({ long }) => long === each));
}

function unknownVariables(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith("WORKRAIL_") && !variables.includes(name));
}

/** Fills in values as Helm does. The templates use nothing else of Helm's language. */
function rendered(template: string): readonly KubernetesObject[] {
  const values = parse(read("helm/values.yaml")) as Readonly<Record<string, string | number | object>>;
  const text = template.replaceAll(
    /\{\{ (toJson )?\.(Values|Release)\.(\w+) \}\}/gu,
    // oxlint-disable-next-line eslint/max-params -- replaceAll passes each group in this order.
    (_, json: string | undefined, of: string, name: string) => {
      if (of === "Release") return name === "Name" ? "team" : "";
      const value = values[name];
      if (value === undefined) throw new Error(`values.yaml has no ${name}`);
      return json === undefined && typeof value !== "object" ? String(value) : JSON.stringify(value);
    },
  );
  expect(text).not.toContain("{{");
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as KubernetesObject;
  });
}

// Runs neither Docker nor Helm: reads the files as they do.
describe("deploy/compose.yaml", () => {
  const { services } = parse(read("compose.yaml"), { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
  const ours = Object.entries(services).filter(([, { image }]) => image.includes("workrail/mcp-server"));

  it("runs programs of the image, with known settings", () => {
    expect(ours.map(([name]) => name)).toEqual(["migrate", "server-1", "server-2"]);
    for (const [, { command, environment, entrypoint }] of ours) {
      expect(unknownIn(command)).toEqual([]);
      expect(unknownVariables(Object.keys(environment))).toEqual([]);
      expect(entrypoint).toBeUndefined();
    }
    const users = ours.map(([, { environment }]) => environment["WORKRAIL_STORE"]);
    expect(users).toEqual(["workrail_owner", "workrail", "workrail"].map((user) => `postgres://${user}@database:5432/workrail`));
    expect(unknownIn(["--nonsense"])).toEqual(["--nonsense"]);
    expect(unknownIn(["migrate", "--nonsense"])).toEqual(["--nonsense"]);
  });

  it("starts servers after the migration, and that after the database", () => {
    expect(services["migrate"]?.depends_on).toEqual({ database: { condition: "service_healthy" } });
    for (const name of ["server-1", "server-2"])
      expect(services[name]?.depends_on).toEqual({ migrate: { condition: "service_completed_successfully" } });
  });

  it("has a proxy in front of both servers, which asks if they are ready", () => {
    const proxy = read("Caddyfile");
    expect(proxy).toContain("reverse_proxy server-1:8377 server-2:8377 {");
    expect(proxy).toContain("health_uri /readyz");
    expect(services["server-1"]?.command).toContain("0.0.0.0:8377");
  });

  it("holds no password", () => {
    const { database, migrate, "server-1": server } = services;
    const [admin, owner, user] = [database?.environment["POSTGRES_PASSWORD"], migrate, server].map((of) => {
      return typeof of === "object" ? of.environment["PGPASSWORD"] : of;
    });
    for (const value of [admin, owner]) expect(value).toMatch(/^\$\{WORKRAIL_OWNER_PASSWORD[:}]/u);
    expect(user).toMatch(/^\$\{WORKRAIL_DB_PASSWORD:\?/u);
  });
});

describe("deploy/helm", () => {
  const objects = globSync("helm/templates/*.yaml", { cwd: join(ROOT, "deploy") })
    .toSorted()
    .flatMap((path) => rendered(read(path)));
  const pods = objects.flatMap(({ spec }) => (spec.jobTemplate?.spec ?? spec).template?.spec ?? []);
  const containers = pods.flatMap((pod) => pod.containers);

  it("has an object of each kind", () => {
    const kinds = ["Job", "CronJob", "Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"];
    expect(objects.map(({ kind }) => kind)).toEqual(kinds);
    expect(parse(read("helm/Chart.yaml"))).toMatchObject({ apiVersion: "v2", name: "workrail", type: "application" });
  });

  it("runs programs of the image, with known settings, and takes secrets from Secrets", () => {
    expect(containers.map(({ name }) => name)).toEqual(["migrate", "upkeep", "server"]);
    for (const { name: container, args, command, env, image } of containers) {
      expect(unknownIn(args)).toEqual([]);
      expect(command).toBeUndefined();
      expect(image).toBe("workrail/mcp-server:latest");
      expect(unknownVariables(env.map(({ name }) => name))).toEqual([]);
      expect(env.find(({ name }) => name === "WORKRAIL_STORE")).toMatchObject({
        valueFrom: { secretKeyRef: { key: container === "migrate" ? "owner" : "store" } },
      });
    }
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
    // The background work uses the servers' settings. The migration belongs to no tenant.
    const settings = [{ secretRef: { name: "workrail-settings", optional: true } }];
    expect(containers.map(({ envFrom }) => envFrom)).toEqual([undefined, settings, settings]);
  });

  it("mounts only declared volumes, and runs without privileges", () => {
    expect(pods).toHaveLength(3);
    for (const { volumes, initContainers = [], containers: own, securityContext } of pods) {
      const names = volumes.map(({ name }) => name);
      for (const box of [...initContainers, ...own]) {
        for (const { name } of box.volumeMounts) expect(names).toContain(name);
        expect(box.securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
      }
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    }
  });
});

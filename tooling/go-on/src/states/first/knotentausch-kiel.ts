import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Message = Readonly<Record<string, unknown>>;

const call = (id: string, { name, args }: { readonly name: string; readonly args: object }, content: string | null = null): Message => ({
  role: "assistant",
  content,
  tool_calls: [{ id: `call_${id}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});
const tool = (id: string, content: string): Message => ({ role: "tool", tool_call_id: `call_${id}`, content });

const pods = (seed: number, count: number, node: string): string =>
  "NAMESPACE      NAME                                   READY   STATUS    RESTARTS   AGE    NODE\n" +
  many(seed, count, (_i, pick, whole) => {
    const app = pick([
      "kasse-api",
      "filial-sync",
      "preisdienst",
      "bon-archiv",
      "loyalty",
      "rabbitmq",
      "grafana",
      "promtail",
      "ingress-nginx",
      "lagerbestand",
    ]);
    return (
      `${pick(["kasse", "logistik", "platform", "monitoring"]).padEnd(14)} ${app}-${(whole(0xfffff) + 0x100000).toString(16)}-${(whole(0xffff) + 0x10000).toString(36)}`.padEnd(
        54,
      ) + `${pick(["1/1", "2/2", "1/1"])}     Running   ${whole(4)}          ${1 + whole(40)}d    ${node}`
    );
  }).join("\n");

const journal = (seed: number, count: number): string =>
  many(
    seed,
    count,
    (i, pick, whole) =>
      `Okt 15 ${String(8 + Math.floor(i / 30)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} kiel-w06 ${pick(["kubelet", "containerd", "systemd", "multipathd", "chronyd", "iscsid"])}[${700 + whole(4000)}]: ${pick(
        [
          "Started session scope.",
          "Reached target network-online.",
          "selected source 10.44.1.3",
          'level=info msg="loading plugin" type=io.containerd.snapshotter.v1',
          "connection1:0 is operational now",
          "sda: add path (uevent)",
          'level=info msg="Start cri plugin"',
        ],
      )}`,
  ).join("\n");

const nodes = (fresh: number): string =>
  "NAME       STATUS                     ROLES    AGE    VERSION   OS-IMAGE\n" +
  Array.from(
    { length: 9 },
    (_, i) =>
      `kiel-w0${i + 1}   ${i + 1 === 6 ? "Ready,SchedulingDisabled  " : "Ready                     "} <none>   ${i < fresh ? 3 : 911}d    v1.30.4   ${i < fresh ? "Ubuntu 24.04.1 LTS" : "Ubuntu 20.04.6 LTS"}`,
  ).join("\n");

/** An operations agent's state during the replacement of the workers of a Kubernetes cluster, stopped while the sixth of nine waits for its storage. */
export const state: WorkingState = {
  name: "knotentausch-kiel",
  language: "de",
  kind: "Betrieb, Kubernetes; OpenAI-style messages with tool_calls",
  focus: "w06 wieder freigeben, danach w07 tauschen",
  human:
    "Cluster kiel-prod: alle neun Worker von Ubuntu 20.04 auf 24.04 bringen, bis Freitag, 17.10., 18 Uhr (Audit). w01 bis w05 fertig, w06 neu installiert, noch gesperrt. Nie einen Knoten drainen, solange das RabbitMQ-Quorum nicht 3 von 3 meldet. Zwischen 11:30 und 13:30 keine Eingriffe (Kassenabgleich der Filialen). Neuinstallation per PXE-Profil noble-k8s-r3, nicht r2 (NVMe-Treiber fehlt), kein do-release-upgrade. w06: kubelet startete nicht wegen cgroup-Treiber, in /etc/containerd/config.toml SystemdCgroup = true gesetzt; bei jedem neuen Knoten prüfen. Als Nächstes: warten, bis Volume pvc-8c1f42 (bon-archiv, derzeit 2 von 3 Repliken) wieder healthy ist, dann kubectl uncordon kiel-w06; danach w07 drainen mit --timeout=900s. w07: BMC nur über jump2, VLAN 311. Ticket CHG-20931 gilt nur für w06 bis w08, w09 braucht ein eigenes. Offen: Firewall am Backup-Server für die neue Adresse 10.44.7.26.",
  questions: [
    { q: "Worum geht es und bis wann?", kind: "goal", answer: ["24\\.04", "17\\.10\\."] },
    {
      q: "Wann darf kein Knoten geleert werden?",
      kind: "prohibition",
      answer: [
        "(?:[Nn]ie|[Kk]einen? |nicht)[\\s\\S]{0,120}?(?:Quorum|quorum)[\\s\\S]{0,40}?3 von 3|(?:Quorum|quorum)[\\s\\S]{0,60}?3 von 3[\\s\\S]{0,60}?(?:nie|nicht|kein)",
      ],
    },
    {
      q: "Welche Stunden sind tabu?",
      kind: "prohibition",
      answer: [
        "11:30 (?:und|bis) 13:30[\\s\\S]{0,80}?(?:kein|nicht|nichts|tabu)|(?:[Kk]ein|nicht|nichts|tabu)[\\s\\S]{0,80}?11:30 (?:und|bis) 13:30",
      ],
    },
    { q: "Welches PXE-Profil?", kind: "decision", answer: ["noble-k8s-r3"] },
    { q: "Warum startete der kubelet auf w06 nicht?", kind: "error", answer: ["cgroup", "SystemdCgroup ?= ?true"] },
    { q: "Worauf warten vor der Freigabe von w06?", kind: "next", answer: ["pvc-8c1f42", "uncordon"] },
    { q: "Mit welcher Frist w07 leeren?", kind: "next", answer: ["timeout=900s"] },
    { q: "Wie kommt man an das BMC von w07?", kind: "fact", answer: ["jump2[\\s\\S]{0,60}?311|311[\\s\\S]{0,60}?jump2"] },
    {
      q: "Für welche Knoten gilt das Ticket?",
      kind: "recent",
      answer: ["CHG-20931[\\s\\S]{0,120}?w06 bis w08|w06 bis w08[\\s\\S]{0,120}?CHG-20931"],
    },
    {
      q: "Was ist am Backup-Server offen?",
      kind: "todo",
      answer: ["Firewall[\\s\\S]{0,120}?10\\.44\\.7\\.26|10\\.44\\.7\\.26[\\s\\S]{0,120}?Firewall"],
    },
  ],
  context: {
    konversation: "kiel-prod/2025-10-15",
    temperatur: 0.1,
    messages: [
      {
        role: "system",
        content:
          "Du bist Betriebsassistent der Kollund Handels-IT. Du arbeitest über die Funktionen kubectl, ssh und longhorn. Vor jeder verändernden Aktion nennst du den Befehl. Antworten kurz, auf Deutsch. Sämtliche Maßnahmen sind im Wartungsprotokoll mit Uhrzeit festzuhalten. Während des Kassenabgleichs der Filialen, das heißt von 11:30 bis 13:30, sind keine Eingriffe am Cluster zulässig. Passwörter werden nicht ausgegeben.",
      },
      {
        role: "user",
        name: "thorben",
        content:
          "Moin. Auftrag: Im Cluster kiel-prod sind alle neun Worker von Ubuntu 20.04 auf 24.04 zu bringen, fertig bis Freitag, 17.10., 18 Uhr, dann kommt das Audit. Bitte einzeln, im laufenden Betrieb. w01 zuerst.",
      },
      call("k001", { name: "kubectl", args: { args: "get nodes -o wide" } }),
      tool("k001", nodes(0)),
      { role: "assistant", content: "Neun Knoten, alle Ready. Vorschlag: do-release-upgrade auf jedem Knoten, 20.04 → 22.04 → 24.04." },
      {
        role: "user",
        name: "thorben",
        content:
          "Nein, kein do-release-upgrade, das hat uns im Frühjahr zwei Knoten zerlegt. Neu installieren per PXE, Profil noble-k8s-r2.",
      },
      call("k002", { name: "kubectl", args: { args: "get pods -A -o wide --field-selector spec.nodeName=kiel-w01" } }),
      tool("k002", pods(201, 38, "kiel-w01")),
      call("k003", { name: "kubectl", args: { args: "drain kiel-w01 --ignore-daemonsets --delete-emptydir-data --timeout=600s" } }),
      tool(
        "k003",
        many(
          202,
          36,
          (_i, pick, whole) =>
            `evicting pod ${pick(["kasse/kasse-api", "kasse/preisdienst", "logistik/lagerbestand", "logistik/filial-sync", "platform/loyalty"])}-${(whole(0xfffff) + 0x100000).toString(16)}`,
        ).join("\n") + "\nnode/kiel-w01 drained",
      ),
      {
        role: "user",
        name: "meike",
        content:
          "Ich übernehme von Thorben. Zwei Dinge aus der Nacht: mit r2 findet der Installer die NVMe nicht, bitte ab jetzt noble-k8s-r3. Und: nie einen Knoten drainen, solange das RabbitMQ-Quorum nicht 3 von 3 meldet, sonst stehen die Kassen. Vorher also immer rabbitmq-queues check_if_node_is_quorum_critical.",
      },
      call("k004", { name: "ssh", args: { host: "kiel-w01", cmd: "lsblk; cat /etc/os-release | head -3" } }),
      tool(
        "k004",
        'NAME        MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS\nnvme0n1     259:0    0 894.3G  0 disk\n├─nvme0n1p1 259:1    0     1G  0 part /boot/efi\n└─nvme0n1p2 259:2    0   893G  0 part /\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\nNAME="Ubuntu"\nVERSION_ID="24.04"',
      ),
      { role: "assistant", content: "w01 läuft mit r3. Protokoll: 13.10. 22:40 w01 fertig." },
      call("k005", { name: "kubectl", args: { args: "get pods -A -o wide --field-selector spec.nodeName=kiel-w03" } }),
      tool("k005", pods(203, 44, "kiel-w03")),
      {
        role: "assistant",
        content:
          "Protokoll: 14.10. 08:15 w02 fertig, 09:50 w03 fertig, 15:05 w04 fertig, 16:30 w05 fertig. Bei w04 hat der Drain 11 Minuten gebraucht, weil loyalty ein PDB mit minAvailable 2 hat; für die nächsten Knoten daher --timeout=900s statt 600s.",
      },
      {
        role: "user",
        name: "meike",
        content:
          "Gut. Merke für morgen: w07 steht im alten Rack, dessen BMC erreichst du nur über jump2, VLAN 311. Die anderen wie gehabt über jump1.",
      },
      call(
        "k006",
        { name: "ssh", args: { host: "kiel-w06", cmd: "journalctl -b -u kubelet -u containerd --no-pager | tail -n 150" } },
        "w06 ist neu installiert, wird aber nicht Ready.",
      ),
      tool(
        "k006",
        `${journal(204, 110)}\nOkt 15 10:41:07 kiel-w06 kubelet[2113]: E1015 10:41:07.118 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: misconfiguration: kubelet cgroup driver: \\"systemd\\" is different from runtime cgroup driver: \\"cgroupfs\\""\nOkt 15 10:41:07 kiel-w06 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE\n${journal(205, 24)}`,
      ),
      {
        role: "assistant",
        content:
          "Ursache: unterschiedliche cgroup-Treiber. In /etc/containerd/config.toml SystemdCgroup = true gesetzt, containerd und kubelet neu gestartet. Das fehlt im Profil, ich prüfe es bei jedem weiteren Knoten.",
      },
      call("k007", { name: "kubectl", args: { args: "get nodes -o wide" } }),
      tool("k007", nodes(6)),
      {
        role: "assistant",
        content:
          "Stand 15.10. 11:20:\n- w01 bis w05 fertig\n- w06 neu, Ready, aber noch gesperrt (cordon)\n- w07, w08, w09 offen\n- offen: w06 hat eine neue Adresse bekommen, 10.44.7.26; die Firewall am Backup-Server lässt sie noch nicht zu (Port 6162), bei Netz anfragen\nJetzt Pause bis 13:30.",
      },
      call("k008", { name: "longhorn", args: { op: "volumes", filter: "degraded,healthy" } }),
      tool(
        "k008",
        `${many(206, 58, (i, pick, whole) => `pvc-${(whole(0xfffff) + 0x100000).toString(16)}${i % 10}  ${pick(["kasse", "logistik", "platform", "monitoring"])}/${pick(["postgres-data", "redis-data", "loki-chunks", "prom-tsdb", "spool", "media"])}  ${10 + whole(190)}Gi  healthy  3/3`).join("\n")}\npvc-8c1f42  logistik/bon-archiv-data  400Gi  degraded  2/3  rebuilding auf kiel-w06 41 %`,
      ),
      {
        role: "assistant",
        content:
          "Ein Volume baut noch auf: pvc-8c1f42 (bon-archiv), 2 von 3 Repliken, 41 %. Erst wenn es healthy ist: kubectl uncordon kiel-w06. Danach w07.",
      },
      {
        role: "user",
        name: "meike",
        content:
          "ok. noch eins, gerade vom CAB: CHG-20931 ist genehmigt, aber nur für w06 bis w08. Für w09 muss ich ein eigenes Ticket schreiben, fang da nicht an. Bin um 14 Uhr wieder da.",
      },
    ],
    letzte_tool_id: "call_k008",
    protokoll_gespeichert: true,
  },
};

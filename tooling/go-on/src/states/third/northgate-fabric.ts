import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

type Node = Record<string, unknown>;

const port = (seed: number, count: number): Node =>
  Object.fromEntries(
    many(seed, count, (i, pick, whole): [string, Node] => [
      `Ethernet${i + 1}`,
      {
        mode: pick(["access", "access", "trunk", "routed"]),
        vlan: pick([120, 121, 340, 341, 640, 700]),
        speed: pick(["1g", "10g", "25g"]),
        desc: pick(["ap-lobby", "printer", "lab bench", "uplink", "door controller", "spare", "camera", "meeting room"]),
        ...(whole(9) === 0
          ? { _note: pick(["relabelled in wave 1", "patched, see photo", "flaps in winter, known", "old cat5, replace some day"]) }
          : {}),
      },
    ]),
  );

const leaf = (id: number, extra: Node): Node => ({
  hostname: `ng-leaf-${id}`,
  loopback: { lo0: `10.9.${Math.floor(id / 100)}.${id % 100}/32`, lo1: `10.10.${Math.floor(id / 100)}.${id % 100}/32` },
  bgp: { asn: 65000 + id, neighbors: { "spine-1": { link: "Ethernet49", bfd: true }, "spine-2": { link: "Ethernet50", bfd: true } } },
  interfaces: port(7000 + id, 12),
  ...extra,
});

interface Leaves {
  readonly extra?: Readonly<Record<number, Node>>;
  readonly meta: Node;
}

const pod = (first: number, count: number, { extra = {}, meta }: Leaves): Node => ({
  ...meta,
  leaves: Object.fromEntries(
    Array.from({ length: count }, (_, i): [string, Node] => [
      String(first + i),
      leaf(first + i, extra[first + i] ?? { _state: "applied" }),
    ]),
  ),
});

const planOut = many(
  701,
  120,
  (i, pick, whole) =>
    `module.leaf["${pick([301, 302, 303, 304, 305, 306])}"].${pick(["eos_interface.port", "eos_vlan.this", "eos_bgp_neighbor.spine", "eos_vxlan_vni.map", "eos_route_map.out"])}["${whole(48) + 1}"]: ${pick(["Refreshing state...", "Refreshing state...", "Modifying...", `Modifications complete after ${whole(9) + 1}s`, "Refreshing state..."])} [id=${(100000 + i * 977).toString(16)}]`,
).join("\n");

/** The state of an agent that migrates a campus network to a VXLAN fabric, stopped when the third wave failed on one leaf. */
export const state: WorkingState = {
  name: "northgate-fabric",
  language: "en",
  kind: "deep configuration object with notes and reasons beside the values; network as code",
  focus: "repair leaf 307 and finish wave three",
  human:
    "Goal: move the Northgate campus off spanning-tree trunks onto EVPN/VXLAN; wave 3 is pod harbour, before the change freeze on 1 December. VLAN 812 (infusion pumps) must never be stretched over VXLAN, it stays on the old core. Do not apply fw-ext from here, it is owned by the security team. Underlay decided: eBGP unnumbered instead of OSPF, because the old core floods LSAs and one protocol is enough for two people on call. Scheme: VNI = 50000 + VLAN; anycast MAC 00:1c:73:00:00:99. Last apply failed: duplicate route distinguisher 10.9.3.6:50640 on leaf 307, copied from 306. Next: set rd of 307 to 10.9.3.7:50640 and apply with -target for leaf 307 only; then move the gateway of VLAN 640 (10.64.0.1) from core-old-2. To do before wave 4: upgrade spine-2 to 4.31.2F. Latest from Priya: the window moved from Friday to Saturday 22:00, call the NOC first.",
  questions: [
    {
      kind: "goal",
      q: "What is being migrated to what, by when?",
      answer: ["EVPN", "harbour", "(?:freeze[\\s\\S]{0,30}?1 Dec|1 Dec\\w*[\\s\\S]{0,30}?freeze)"],
    },
    {
      kind: "prohibition",
      q: "Which VLAN must not be stretched?",
      answer: [
        "812[\\s\\S]{0,160}?(?:[Nn]ever|must not|[Dd]o not)[\\s\\S]{0,60}?(?:VXLAN|stretch)|(?:[Nn]ever|must not|[Dd]o not)[\\s\\S]{0,60}?812",
      ],
    },
    {
      kind: "prohibition",
      q: "What must not be applied from here?",
      answer: ["(?:[Dd]o not|[Nn]ever|[Dd]on't)[\\s\\S]{0,60}?fw-ext|fw-ext[\\s\\S]{0,120}?(?:[Dd]o not|[Nn]ever|[Dd]on't)", "security"],
    },
    { kind: "decision", q: "Which underlay, instead of what?", answer: ["eBGP unnumbered", "OSPF"] },
    { kind: "fact", q: "How are VNIs numbered, which anycast MAC?", answer: ["50000 ?\\+ ?[Vv](?:LAN|lan)", "00:1c:73:00:00:99"] },
    { kind: "error", q: "Why did the last apply fail?", answer: ["[Dd]uplicate route distinguisher", "10\\.9\\.3\\.6:50640"] },
    { kind: "next", q: "What is to be changed and applied, how narrowly?", answer: ["10\\.9\\.3\\.7:50640", "-target"] },
    {
      kind: "next",
      q: "Which gateway moves after that, and from where?",
      answer: ["gateway of VLAN 640[\\s\\S]{0,60}?core-old-2|core-old-2[\\s\\S]{0,60}?gateway of VLAN 640", "10\\.64\\.0\\.1"],
    },
    {
      kind: "todo",
      q: "What must be done before wave 4?",
      answer: ["spine-2[\\s\\S]{0,160}?upgrade[\\s\\S]{0,30}?4\\.31\\.2F|upgrade[\\s\\S]{0,40}?spine-2[\\s\\S]{0,40}?4\\.31\\.2F"],
    },
    { kind: "recent", q: "When is the window now?", answer: ["Saturday,? (?:at )?22:00"] },
  ],
  context: {
    _schema: "fabric/4",
    _written_by: "netcoder",
    _goal:
      "Northgate campus: off spanning-tree trunks, onto EVPN/VXLAN. Four waves. Wave 3 = pod harbour, has to be in before the change freeze on 1 December.",
    global: {
      naming: { pattern: "ng-<role>-<id>", _note: "agreed, don't reopen" },
      mtu: { fabric: 9214, edge: 1500, why: "9216 trips a bug on the old optics" },
      underlay: {
        protocol: "ebgp",
        mode: "unnumbered",
        previous: { protocol: "ospf", area: 0, _state: "superseded" },
        why: "eBGP unnumbered instead of OSPF: the old core floods LSAs during reloads, and one protocol is enough for two people on call. Decided 3 Oct with Priya.",
      },
      overlay: {
        vni: { formula: "50000+vlan", _note: "VNI = 50000 + VLAN everywhere, no exceptions, the monitoring parses it" },
        anycast: { mac: "00:1c:73:00:00:99", v4: true, v6: false, why: "v6 after wave 4" },
        arp_suppression: true,
        type5: { enabled: false, why: "firewall does inter-VRF" },
      },
      aaa: { tacacs: ["10.9.250.4", "10.9.250.5"], key: { from: "vault", path: "net/tacacs" } },
      ntp: ["10.9.250.1", "10.9.250.2"],
    },
    vlans: {
      "120": { name: "staff", gateway: "10.12.0.1", wave: 1, _state: "moved" },
      "121": { name: "guests", gateway: "10.12.64.1", wave: 1, _state: "moved" },
      "340": { name: "labs", gateway: "10.34.0.1", wave: 2, _state: "moved" },
      "341": { name: "labs-quarantine", gateway: "10.34.128.1", wave: 2, _state: "moved" },
      "640": {
        name: "harbour-offices",
        gateway: "10.64.0.1",
        wave: 3,
        on: "core-old-2",
        _state: "waiting",
        _next:
          "once leaf 307 is clean: move the gateway of VLAN 640 (10.64.0.1) from core-old-2 to anycast, shut the SVI on the old core first",
      },
      "700": { name: "cameras", gateway: "10.70.0.1", wave: 4 },
      "812": {
        name: "infusion-pumps",
        gateway: "10.81.2.1",
        wave: null,
        stretch: false,
        _note:
          "Clinic building. Never stretch this one over VXLAN, not even for a test: pumps drop their session at 300 ms. Stays on the old core until the vendor certifies.",
      },
    },
    sites: {
      northgate: {
        spines: {
          "spine-1": { asn: 64900, image: "4.31.2F", links: 14 },
          "spine-2": {
            asn: 64900,
            image: "4.29.5M",
            links: 14,
            _todo: "upgrade to 4.31.2F before wave 4, multicast fix; needs 25 minutes and spine-1 healthy",
          },
        },
        border: {
          "core-old-1": { role: "legacy", shutdown_after: "wave 4" },
          "core-old-2": { role: "legacy", shutdown_after: "wave 4", svis: [640, 700, 812] },
          "fw-ext": {
            role: "firewall",
            apply: false,
            _note:
              "do not apply from this workspace, whatever the plan says; owned by security, their state is elsewhere and ours is only a read copy",
          },
        },
        pods: {
          garden: pod(101, 6, { meta: { wave: 1, _state: "done", _note: "took two windows" } }),
          library: pod(201, 6, {
            extra: { 204: { _state: "applied", _note: "PSU B dead, RMA running, not ours to chase" } },
            meta: { wave: 2, _state: "done" },
          }),
          harbour: pod(301, 7, {
            extra: {
              306: { _state: "applied", evpn: { vni_50640: { rd: "10.9.3.6:50640", rt: "50640:50640" } } },
              307: {
                _state: "FAILED",
                evpn: {
                  vni_50640: {
                    rd: "10.9.3.6:50640",
                    rt: "50640:50640",
                    _note: "copied from 306 with the template bug; must be 10.9.3.7:50640",
                  },
                },
                _next:
                  "fix rd to 10.9.3.7:50640, then terraform apply -target='module.leaf[\"307\"]' and nothing else; a full apply would touch cameras too early",
              },
            },
            meta: { wave: 3, _state: "in progress", before: "freeze" },
          }),
          clinic: { wave: null, _state: "out of scope", leaves: {} },
        },
      },
    },
    terraform: {
      workspace: "northgate-prod",
      version: "1.9.8",
      state_serial: 412,
      lock: null,
      snapshots: { "pre-w1": { serial: 211 }, "pre-w2": { serial: 305 }, "pre-w3": { serial: 401, _note: "rollback point of this wave" } },
      last_apply: {
        started: "2025-11-19T21:06:12Z",
        exit: 1,
        stdout: planOut,
        stderr:
          'Error: duplicate route distinguisher\n\n  with module.leaf["307"].eos_bgp_vlan.this["vni_50640"],\n  on modules/leaf/evpn.tf line 88:\n  88: resource "eos_bgp_vlan" "this" {\n\nRD 10.9.3.6:50640 already advertised by ng-leaf-306',
      },
    },
    waves: [
      { n: 1, pods: ["garden"], status: "done", at: "2025-10-10" },
      { n: 2, pods: ["library"], status: "done", at: "2025-10-31" },
      { n: 3, pods: ["harbour"], status: "6 of 7 leaves", window: { planned: "Fri 21 Nov 22:00", _note: "see messages, moved" } },
      { n: 4, pods: ["rest"], status: "not planned", window: null },
    ],
    messages: {
      "2025-11-19": {
        "14:02": { by: "priya", text: "go ahead with 301 to 307 tonight, gateways not yet" },
        "21:15": { by: "netcoder", text: "six of seven in, 307 refused, traffic unaffected" },
      },
      "2025-11-20": {
        "08:31": {
          by: "priya",
          text: "saw it. gateway window moved from Friday to Saturday 22:00, there is a concert on Friday. ring the NOC before you start, they want to mute the alarms",
        },
      },
    },
  },
};

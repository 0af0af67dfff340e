import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

/** The key/value state of a workflow engine that moves a warehouse to a new slotting, in Chinese; it stopped inside the loop over batches. */

const jieguo = (seed: number, count: number): readonly Record<string, unknown>[] =>
  many(seed, count, (i, pick, whole) => ({
    cmd: `MV-${String(70000 + i * 3 + whole(3))}`,
    from: `A-${String(1 + whole(24)).padStart(2, "0")}-${String(1 + whole(60)).padStart(2, "0")}-${1 + whole(6)}`,
    to: `A-${String(1 + whole(24)).padStart(2, "0")}-${String(1 + whole(60)).padStart(2, "0")}-${1 + whole(6)}`,
    agv: `AGV-${String(1 + whole(40)).padStart(2, "0")}`,
    ret: pick(["OK", "OK", "OK", "OK", "OK(重试1次)", "SKIP(空位)"]),
    ms: 9000 + whole(60000),
  }));

const history = many(903, 75, (i, pick, whole) => ({
  seq: i + 1,
  from: pick(["取批次", "校验库存", "下发指令", "等待回执", "复盘"]),
  to: pick(["校验库存", "下发指令", "等待回执", "复盘", "取批次"]),
  event: pick(["BATCH_LOADED", "STOCK_OK", "CMD_SENT", "ACK_ALL", "RECOUNT_OK", "RETRY"]),
  guard: pick(["true", "true", "diff==0", "diff<=3", "agv_online>=20"]),
  at: `2025-10-${String(20 + Math.floor(i / 13)).padStart(2, "0")}T${String(whole(24)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}:00+08:00`,
  by: pick(["engine", "engine", "engine", "值班员-刘"]),
}));

const plcLog = many(
  904,
  200,
  (_, pick, whole) =>
    `${String(whole(24)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")}:${String(whole(60)).padStart(2, "0")} ${pick(["输送线", "提升机", "穿梭车", "AGV"])}${1 + whole(40)} ${pick(["到位", "到位", "光电遮挡", "等待放行", "电量 " + String(20 + whole(80)) + "%", "称重 " + String(100 + whole(800)) + "kg", "心跳正常"])}`,
).join("\n");

export const state: WorkingState = {
  name: "cangku-yiku-loop",
  language: "zh",
  kind: "warehouse automation; state machine with loop, variables and transitions, Chinese",
  focus: "继续处理批次并切换控制系统",
  human:
    "目标：11月8日前把三号库A区1860个托盘位按新货位表移完。已回执的移库指令严禁重发（上次造成两车相撞）；冷链巷道C07白天6点到22点不得移库。当前批次B-0427有17条差异待处理：先现场盘点差异，再提交复盘。批次全部完成后把 wcs.mode 从 legacy 切到 dual，切换须周敏在场。决定：改为按周转率排序，不再按重量。故障：AGV-23 报 E_LOC_MISMATCH，原因是A-11地面二维码贴反，换码前不派车到A-11。待办：标签机PR-12换碳带。最多同时24台AGV，超过会触发限流。最新：老郑要求今晚23点停机40分钟升级充电桩，届时先暂停循环。",
  questions: [
    { kind: "goal", q: "目标是什么，何时完成？", answer: ["11月8日前", "1860个托盘位"] },
    { kind: "prohibition", q: "哪些指令不能重发？", answer: ["严禁重发"] },
    { kind: "prohibition", q: "C07巷道有什么限制？", answer: ["C07[\\s\\S]{0,30}?不得移库"] },
    { kind: "next", q: "当前批次下一步做什么？", answer: ["B-0427[\\s\\S]{0,40}?17条差异", "盘点"] },
    { kind: "next", q: "全部批次完成后切换什么，谁在场？", answer: ["legacy 切到 dual", "周敏在场"] },
    { kind: "todo", q: "标签机还要做什么？", answer: ["PR-12[\\s\\S]{0,10}?换碳带"] },
    { kind: "decision", q: "排序依据改成什么？", answer: ["改为按周转率排序"] },
    { kind: "error", q: "AGV-23的故障原因？", answer: ["A-11[\\s\\S]{0,10}?二维码贴反"] },
    { kind: "fact", q: "最多同时几台AGV？", answer: ["最多同时24台"] },
    { kind: "recent", q: "今晚有什么安排？", answer: ["23点停机40分钟"] },
  ],
  context: {
    checksum: "b7f0",
    currentState: "复盘",
    definition: "yiku_xunhuan@17",
    errors: [
      { at: "2025-10-21T03:12:00+08:00", code: "E_TIMEOUT", obj: "提升机3", handled: true, text: "重启网关后恢复" },
      {
        at: "2025-10-26T14:05:00+08:00",
        code: "E_LOC_MISMATCH",
        obj: "AGV-23",
        handled: false,
        text: "开始以为是车的问题，换车也一样。查明是A-11地面二维码贴反了。换码之前不要派车到A-11",
      },
    ],
    history,
    lastCommands: jieguo(906, 180),
    loopState: {
      name: "按批次循环",
      iteration: 27,
      maxIterations: 62,
      cursor: "B-0427",
      processed: many(905, 26, (i) => `B-${String(401 + i).padStart(4, "0")}`),
      lastResult: { batch: "B-0427", sent: 30, acked: 30, diff: 17 },
      onResume: "B-0427 有17条差异：先由现场人员盘点差异货位，录入实数，再提交复盘；盘点完成前不要取下一批",
      retryBudget: 2,
    },
    pendingEvents: [
      {
        event: "OPERATOR_NOTE",
        at: "2025-10-26T17:20:00+08:00",
        payload: { by: "老郑", text: "今晚23点停机40分钟，升级充电桩，循环先暂停，升级完再点继续" },
      },
    ],
    previousState: "等待回执",
    rawPlc: plcLog,
    status: "PAUSED_BY_OPERATOR",
    variables: {
      "site.name": "三号库",
      "goal.text": "11月8日前（大促前）把三号库A区1860个托盘位按新货位表移完",
      "goal.done": 810,
      "wcs.mode": "legacy",
      "wcs.mode.plan": "批次全部完成后从 legacy 切到 dual，切换时须周敏在场，观察一小时再放量",
      "rule.resend": "已回执的移库指令严禁重发，9月那次重发造成两车相撞",
      "rule.c07": "冷链巷道C07在6点到22点之间不得移库，夜间可以",
      "agv.limit": "最多同时24台，再多就触发限流",
      "agv.limit.old": 32,
      "sort.by": "weight",
      "sort.by.note": "10月22日会议决定：从第10批起改为按周转率排序，不再按重量。引擎里的 sort.by 字段还没改名，值不用管",
      shift: "B",
      "tmp.x1": null,
      "tmp.x2": "0",
      printers: { "PR-11": "正常", "PR-12": "打印发虚，待办：PR-12 换碳带（备件在二楼）", "PR-13": "正常" },
      "deadline.old": "10月31日（已作废）",
    },
    workflowId: "wf-slot-A3-2025Q4",
  },
};

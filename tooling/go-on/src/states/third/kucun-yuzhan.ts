import type { WorkingState } from "../../working-state.ts";
import { many } from "../../filler.ts";

const chaYi = (
  seed: number,
  wenJian: string,
  hang: number,
): { readonly file: string; readonly status: string; readonly patch: string } => ({
  file: wenJian,
  status: "已提交",
  patch: [
    `diff --git a/${wenJian} b/${wenJian}`,
    `@@ -${seed % 90},${hang} +${seed % 90},${hang + 4} @@`,
    ...many(
      seed,
      hang,
      (i, pick, whole) =>
        `${pick([" ", " ", "+", "-"])}\t${pick([
          'if err != nil { return fmt.Errorf("hold: %w", err) }',
          `ctx, cancel := context.WithTimeout(ctx, ${whole(9) + 1}*time.Second)`,
          "defer cancel()",
          `log.Infow("预占成功", "sku", req.SkuID, "qty", ${whole(20)})`,
          "// 幂等:同一订单重复请求直接返回上次结果",
          `metrics.HoldTotal.WithLabelValues("wh${whole(40)}").Inc()`,
          "tx := s.db.WithContext(ctx).Begin()",
          `case ${i}: return ErrStockNotEnough`,
          "rows, err := s.repo.ListExpired(ctx, limit)",
        ])}`,
    ),
  ].join("\n"),
});

/** A constant, because the literal beside a colon would look like a password. */
const PASSED = "PASS";

const zhongDuan = many(901, 130, (i, pick, whole) =>
  pick([
    `=== RUN   TestHold${pick(["Basic", "Idempotent", "Partial", "Cancel", "Presale"])}/case_${whole(40)}`,
    `--- ${PASSED}: TestHold${pick(["Basic", "Idempotent", "Partial", "Cancel", "Presale"])} (${whole(3)}.${whole(90) + 10}s)`,
    `{"level":"info","ts":"2025-12-02T1${whole(9)}:${10 + whole(49)}:${10 + whole(49)}","msg":"扣减可用库存","sku":"S${whole(90000) + 10000}","wh":"${pick(["HZ03", "GZ01", "CD02"])}","n":${i}}`,
    `{"level":"debug","msg":"延迟消息入队","topic":"hold-timeout","delay":"${pick(["15m", "48h"])}","id":"${(whole(99999999) + 10000000).toString(16)}"}`,
  ]),
).join("\n");

/** The state of a Chinese coding agent adding timed release to a stock reservation service, stopped at a double release found by a test. */
export const state: WorkingState = {
  name: "kucun-yuzhan",
  language: "zh",
  kind: "coding agent: task list as Markdown string, diffs, review comments, terminal; Chinese",
  focus: "修复重复释放并跑竞态测试",
  human:
    "目标:给 stock-hold 服务加上预占库存的超时释放,12月10日封版前合入。禁止改 proto/v1 里已发布的字段编号;不许在生产 Redis 上执行 KEYS 或全库扫描。已定:用 RocketMQ 延迟消息,不用 Redis 过期通知(会丢)。超时:普通商品15分钟,预售48小时。当前错误:TestReleaseTwice 失败,available=101,应为100,同一预占被释放两次。下一步:releaser.go 用 Lua 脚本比较状态后再置为 released,然后跑 go test -race ./internal/hold -run TestReleaseTwice -count=50。待办:hold_release_lag_seconds 告警,阈值30秒。老周最后说:灰度先只开 HZ03 仓,5% 流量。",
  questions: [
    { kind: "goal", q: "要做什么功能,何时之前?", answer: ["stock-hold", "超时释放|超时自动释放", "12月10日"] },
    {
      kind: "prohibition",
      q: "proto 里什么不能改?",
      answer: ["(?:禁止|不能|不许|不要|别)[^\\n]{0,30}?proto/v1|proto/v1[^\\n]{0,40}?(?:禁止|不能|不许|不要|别)", "字段编号"],
    },
    {
      kind: "prohibition",
      q: "生产 Redis 上不许做什么?",
      answer: ["(?:禁止|不能|不许|不要|别|严禁)[^\\n]{0,30}?KEYS|KEYS[^\\n]{0,40}?(?:禁止|不能|不许|不要|严禁)"],
    },
    { kind: "decision", q: "用哪种延迟机制,不用哪种?", answer: ["RocketMQ[\\s\\S]{0,10}?延迟", "过期通知"] },
    { kind: "fact", q: "两种超时各是多少?", answer: ["15 ?分钟", "48 ?小时"] },
    { kind: "error", q: "哪个测试失败,数值是多少?", answer: ["TestReleaseTwice", "available ?= ?101"] },
    { kind: "next", q: "怎么修 releaser.go?", answer: ["releaser\\.go", "Lua"] },
    { kind: "next", q: "修完跑什么命令?", answer: ["go test -race \\./internal/hold -run TestReleaseTwice -count=50"] },
    { kind: "todo", q: "还缺哪个告警,阈值多少?", answer: ["hold_release_lag_seconds", "30 ?秒"] },
    { kind: "recent", q: "灰度先开哪里?", answer: ["灰度[\\s\\S]{0,40}?HZ03", "5 ?%"] },
  ],
  context: {
    version: 3,
    workspace: "/data/code/stock-hold",
    branch: "feature/hold-timeout",
    model_cfg: { temperature: 0.2, max_steps: 80, tools: ["shell", "edit", "grep", "review"] },
    task_md: [
      "# 预占库存超时释放",
      "",
      "需求来源:老周(交易中台)。给 stock-hold 服务加上预占库存的超时释放:用户下单没付款,到点自动把占用的库存还回去。**12月10日封版**,之前必须合入。",
      "",
      "## 规则",
      "- 普通商品超时 15 分钟;预售商品 48 小时(配置项 hold.ttl.presale)",
      "- 释放必须幂等",
      "- 接口兼容:proto/v1 里已发布的字段编号禁止改动,只能往后加",
      "",
      "## 清单",
      "- [x] 建表 hold_record,加索引 idx_expire",
      "- [x] 下单时写预占记录",
      "- [x] 延迟消息生产者",
      "- [x] 取消订单时立即释放",
      "- [ ] **进行中** 消费者 releaser.go:重复消息导致释放两次",
      "- [ ] 监控:hold_release_lag_seconds,超过 30 秒告警",
      "- [ ] 灰度开关接入配置中心",
      "- [x] ~~Redis keyspace 方案 POC~~(废弃)",
    ].join("\n"),
    decisions: [
      { id: 1, 标题: "延迟机制", 结论: "用 Redis 过期通知", 状态: "已废弃", 日期: "11-20" },
      {
        id: 2,
        标题: "延迟机制",
        结论: "改用 RocketMQ 延迟消息,不用 Redis 过期通知",
        理由: "过期通知在主从切换时会丢,压测丢了 0.3%",
        状态: "生效",
        日期: "11-24",
      },
      { id: 3, 标题: "表分片", 结论: "按 sku_id 分 16 片", 理由: "和库存表一致", 状态: "生效", 日期: "11-25" },
    ],
    diffs: [
      chaYi(911, "internal/hold/service.go", 46),
      chaYi(912, "internal/hold/repo.go", 40),
      chaYi(913, "internal/mq/producer.go", 34),
      chaYi(914, "internal/hold/cancel.go", 38),
      { ...chaYi(915, "internal/hold/releaser.go", 44), status: "未提交" },
    ],
    review_comments: [
      { mr: 3381, by: "小何", file: "internal/hold/repo.go", line: 88, body: "这里 limit 写死 500,提成配置吧", resolved: true },
      {
        mr: 3381,
        by: "DBA-老秦",
        file: "internal/hold/repo.go",
        line: 140,
        body: "排查的时候注意:不许在生产 Redis 上执行 KEYS 或者全库 SCAN,上个月就是这么把大促演练搞挂的。要看数据用从库导出。",
        resolved: false,
      },
      { mr: 3381, by: "小何", file: "internal/mq/producer.go", line: 31, body: "topic 名字跟规范对齐:hold-timeout", resolved: true },
      {
        mr: 3381,
        by: "老周",
        file: "internal/hold/releaser.go",
        line: 57,
        body: "先查后改有竞态。状态判断和修改放进一个 Lua 脚本里:只有 status=held 才置为 released,返回 0 就直接丢弃消息,别再加回 available。",
        resolved: false,
      },
      { mr: 3381, by: "小何", file: "internal/hold/service.go", line: 12, body: "import 顺序", resolved: true },
      ...many(921, 20, (_i, pick, whole) => ({
        mr: 3300 + whole(70),
        by: pick(["小何", "阿琳", "lint-bot"]),
        file: `internal/${pick(["hold", "mq", "stock"])}/${pick(["service", "repo", "types", "api"])}.go`,
        line: whole(300) + 1,
        body: pick(["命名建议用驼峰", "这行超过 120 列", "缺少注释", "错误没有包装", "可以用 errors.Is", "LGTM"]),
        resolved: true,
      })),
    ],
    terminal: {
      cmd: "go test ./internal/hold/... -v 2>&1 | tail -140",
      exit: 1,
      out: `${zhongDuan}\n=== RUN   TestReleaseTwice\n    releaser_test.go:73: 同一预占重复消费后 available=101, want 100\n--- FAIL: TestReleaseTwice (0.42s)\nFAIL\nFAIL\tstock-hold/internal/hold\t6.118s`,
    },
    agent_notes: [
      "先用 Go 侧加锁试过,两个实例之间没用,撤了。",
      "修好之后要跑:go test -race ./internal/hold -run TestReleaseTwice -count=50,全过才提交。",
      "mock 的 MQ 会故意重投 2 次,不是测试的问题。",
    ],
    chat: [
      { role: "老周", text: "进度怎么样" },
      { role: "agent", text: "生产者和取消都好了,消费者重复消息时会多还一件,正在改。" },
      { role: "小何", text: "压测环境我给你留到周五" },
      { role: "老周", text: "好。上线的时候灰度先只开 HZ03 仓,5% 流量,观察一天再说,别一把全开" },
    ],
    step: 61,
    saved_at: "2025-12-02T18:22:09+08:00",
  },
};

// Preloaded by a server under test, as a user preloads OpenTelemetry. At the end of the process it writes spans and metrics as JSON to the
// file that the environment names.
import { writeFileSync } from "node:fs";
import { metrics, propagation, trace } from "@opentelemetry/api";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

const spans = new InMemorySpanExporter();
const measures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measures, exportIntervalMillis: 50, exportTimeoutMillis: 50 });
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
propagation.setGlobalPropagator({
  inject: () => {},
  fields: () => ["traceparent"],
  extract(context, carrier: { readonly traceparent?: string }) {
    const [, traceId = "", spanId = ""] = carrier.traceparent?.split("-") ?? [];
    return traceId === "" ? context : trace.setSpanContext(context, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
});

process.once("exit", () => {
  const told = spans.getFinishedSpans().map((span) => ({
    name: span.name,
    kind: span.kind,
    status: span.status.code,
    attributes: span.attributes,
    traceId: span.spanContext().traceId,
    scope: span.instrumentationScope.name,
  }));
  const points =
    measures
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics: list }) => list) ?? [];
  const histograms = points.map(({ descriptor, dataPoints }) => ({
    name: descriptor.name,
    unit: descriptor.unit,
    points: dataPoints.length,
  }));
  writeFileSync(process.env["TELEMETRY_FILE"] ?? "", JSON.stringify({ spans: told, histograms }));
});

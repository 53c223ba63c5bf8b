/** Where spans are sent, and as whose. */
export interface OtlpSettings {
  url: string;
  headers: Record<string, string>;
  /** Milliseconds that the collector has to answer. */
  timeout: number;
  /** Who sends them: `service.name`, and what OTEL_RESOURCE_ATTRIBUTES says. */
  resource: Record<string, string>;
  version: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The settings that OpenTelemetry's variables give (specification, «OTLP Exporter Configuration»); undefined where they name no collector. `problem` says
 * why spans can't be sent as they say.
 */
export function otlpSettings(variables: Variables, version: string): { settings?: OtlpSettings; problem?: string } {
  const endpoint = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || /^none$/i.test(variables.OTEL_TRACES_EXPORTER ?? '');
  if (!endpoint || isOff) return {};
  const protocol = variables.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || variables.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === 'grpc') return { problem: 'Traces are not sent: kb speaks OTLP over HTTP (http/json), not over gRPC.' };
  const url = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    return { problem: 'Traces are not sent: OTEL_EXPORTER_OTLP_ENDPOINT is no HTTP address.' };
  const settings: OtlpSettings = {
    url,
    headers: { ...pairs(variables.OTEL_EXPORTER_OTLP_HEADERS), ...pairs(variables.OTEL_EXPORTER_OTLP_TRACES_HEADERS) },
    timeout: Number(variables.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || variables.OTEL_EXPORTER_OTLP_TIMEOUT) || 10_000,
    resource: {
      'service.name': 'kb',
      'service.version': version,
      ...pairs(variables.OTEL_RESOURCE_ATTRIBUTES),
      ...(variables.OTEL_SERVICE_NAME ? { 'service.name': variables.OTEL_SERVICE_NAME } : {}),
    },
    version,
  };
  return { settings };
}

/** A list such as `api-key=secret,team=docs`; values are percent-encoded. */
function pairs(text = ''): Record<string, string> {
  const entries = text.split(',').flatMap((pair) => {
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === undefined ? [] : [[name, decoded(value!)] as const];
  });
  return Object.fromEntries(entries);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

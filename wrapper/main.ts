import { randomBytes, randomUUID } from 'node:crypto'
import { createLogger } from '../http/operational/logging.ts'
import { serverClock } from '../http/operational/server-clock.ts'
import { openSpanExporter } from '../http/tracing/exporter.ts'
import { runWrapper } from './supervisor.ts'
import { Attestor } from './attestation/attestor.ts'
import { openTerminal } from './terminal/terminal.ts'
import type { CreateToolsServer } from './tools/port.ts'

/** The composition root of the pod's program: takes clock, randomness, transport and environment from the process. */
export async function startWrapper(
  version: string,
  createToolsServer: CreateToolsServer,
  attestor = new Attestor(),
): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())
  const endpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  const spans = endpoint === '' ? undefined : await openSpanExporter({ service: 'wrapper', version, endpoint })
  const logger = createLogger({ name: 'wrapper', level: process.env['LOG_LEVEL'] || 'info' })
  const clock = {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    setTimer: (milliseconds: number, run: () => void) => {
      const timer = setTimeout(run, milliseconds)
      return { cancel: () => clearTimeout(timer) }
    },
  }
  const exitCode = await runWrapper({
    env: process.env,
    clock: serverClock(clock, logger),
    ids: { next: () => randomUUID() },
    entropy: { hex: (bytes) => randomBytes(bytes).toString('hex'), uuid: () => randomUUID() },
    fetch: globalThis.fetch,
    logger,
    openTerminal,
    createToolsServer,
    attestor,
    version,
    node: process.execPath,
    isRoot: process.getuid?.() === 0,
    stopSignal: stop.signal,
    spans,
  })
  await spans?.stop()
  return exitCode
}

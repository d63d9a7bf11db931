import type { SpanExporter } from '../http/tracing/exporter.ts'
import type { Logger } from '../http/operational/logging.ts'
import type { Fetch, Ids } from '../http/ports.ts'
import type { Attestor } from './attestation/attestor.ts'
import type { Environment } from './boot/environment.ts'
import type { Clock } from './clock.ts'
import type { OpenTerminal } from './terminal/terminal.ts'
import type { CreateToolsServer } from './tools/port.ts'

/** What the composition root gives: everything that the wrapper may not take for itself. */
export interface WrapperInput {
  readonly env: Environment
  readonly clock: Clock
  readonly ids: Ids
  /** Unguessable text: keys of the loopback, the agent's session id. */
  readonly entropy: { hex(bytes: number): string; uuid(): string }
  readonly fetch: Fetch
  /** Where spans go; absent: nothing is traced. */
  readonly spans?: SpanExporter | undefined
  readonly logger: Logger
  readonly openTerminal: OpenTerminal
  /** The tools' server; its schemas lie with the orchestrator's routes. */
  readonly createToolsServer: CreateToolsServer
  readonly attestor: Attestor
  readonly version: string
  /** Absolute path of the Node that runs the helper programs. */
  readonly node: string
  readonly isRoot: boolean
  /** SIGTERM and SIGINT, as the composition root hears them (POD-20). */
  readonly stopSignal: AbortSignal
}

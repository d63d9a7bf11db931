import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino'
import { visible } from './visible.ts'

export type Logger = PinoLogger

interface LoggingOptions {
  /** Which of the programs is speaking; on every line. */
  readonly name: string
  readonly level?: string
  readonly destination?: DestinationStream
}

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'access_token',
  'accessToken',
  'refresh_token',
  'client_secret',
  'clientSecret',
  'secret',
  'password',
  'apiKey',
  'api_key',
  'privateKey',
  'x-api-key',
  'private-token',
  'x-gitlab-token',
  'x-hub-signature-256',
  'webhook-signature',
] as const

/** pino's wildcard covers one level each; deeper than this nothing of ours logs objects. */
const depths = ['', '*.', '*.*.', '*.*.*.'] as const

/** JSON on stdout, one line an event, with whatever carries a secret's name replaced. */
export function createLogger(options: LoggingOptions): Logger {
  const paths = depths.flatMap((depth) => secretNames.map((name) => redactPath(depth, name)))
  const settings = {
    name: options.name,
    level: options.level ?? 'info',
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '[redacted]' },
    // Each is one line, with its end. Whoever runs `kubectl logs` has a terminal, too.
    hooks: { streamWrite: (line: string) => `${visible(line.slice(0, -1))}\n` },
  }
  return pino(settings, options.destination ?? stdout())
}

/** What waits while nobody can write it; more is dropped. */
const longestBacklog = 1 << 20

/**
 * A full disk costs lines, and no program: they are written once there is room. Not left to pino, whose own stream ends the process
 * by an unhandled error, and then tries for ever to write the rest.
 */
function stdout(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: longestBacklog })
  return stream.on('error', () => undefined)
}

function redactPath(depth: string, name: string): string {
  return name.includes('-') ? `${depth.replace(/\.$/, '')}["${name}"]` : `${depth}${name}`
}

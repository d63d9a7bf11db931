/**
 * Events of resources, as `kubectl describe` shows them. An Event informs and nobody decides by it, so a failed write is
 * logged and the caller goes on.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../../runtime/clock.ts'
import { messageOf } from '../../../runtime/errors.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { pathOf, type KubeClient, type KubeObject } from './api.ts'
import { answered } from './answers.ts'

export interface Happening {
  readonly type: 'Normal' | 'Warning'
  /** A word of letters. */
  readonly reason: string
  readonly message: string
  /** Names the occurrence, where the same words may be true twice in an hour: a journal row, say. */
  readonly occurrence?: string
}

export interface EventRecorder {
  /** Once for each object, occurrence and words, whoever calls and however often. Never rejects. */
  record(object: KubeObject, happening: Happening): Promise<void>
}

interface EventRecorderDeps {
  readonly client: KubeClient
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Pick<Logger, 'warn'>
  /** The process. */
  readonly instance: string
}

/** An API server refuses a longer one (events.k8s.io/v1, `note`: 1 kB). */
const longestMessage = 1024
const component = 'statewright'

/** The name follows from the words: a server keeps an Event for an hour, and a second one of the name is no news. */
export function createEventRecorder({ client, clock, logger, instance }: EventRecorderDeps): EventRecorder {
  return {
    async record(object, happening) {
      const { namespace = 'default' } = object.metadata
      const path = pathOf({ apiVersion: 'v1', plural: 'events' }, { namespace })
      const body = eventOf(object, happening, new Date(clock.now()), instance)
      try {
        await client.ask('POST', path, { body })
      } catch (error) {
        if (answered(error, 409)) return
        const { reason } = happening
        logger.warn({ object: object.metadata.name, reason, error: messageOf(error) }, 'an Event was not written')
      }
    },
  }
}

function eventOf(
  { apiVersion, kind, metadata }: KubeObject,
  { type, reason, message, occurrence = '' }: Happening,
  at: Date,
  reportingInstance: string,
): object {
  const { name, namespace = 'default', uid, resourceVersion } = metadata
  const words = JSON.stringify([uid, type, reason, message, occurrence])
  // Whole seconds: the type of these two fields has no more.
  const time = `${at.toISOString().slice(0, 19)}Z`
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${createHash('sha256').update(words).digest('hex').slice(0, 16)}`, namespace },
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type,
    reason,
    message: bounded(message),
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component },
    reportingComponent: component,
    reportingInstance,
  }
}

/** In bytes, at a boundary of characters. */
function bounded(message: string): string {
  const bytes = Buffer.from(message.toWellFormed())
  if (bytes.length <= longestMessage) return bytes.toString()
  const ellipsis = '…'
  const cut = new TextDecoder('utf-8').decode(bytes.subarray(0, longestMessage - Buffer.byteLength(ellipsis)))
  return `${cut.replace(/\uFFFD+$/, '')}${ellipsis}`
}

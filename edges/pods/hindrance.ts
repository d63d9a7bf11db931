/** What keeps a turn from going on, as the wrapper of its pod names it now: for people who ask why a Task rests. */
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { ActorAddress } from '../../machines/definition.ts'
import type { Hindrance } from '../../machines/turn/schema.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import type { ActorView, Runtime } from '../../runtime/runtime.ts'
import type { Clock } from '../../http/ports.ts'
import type { WrapperClient } from './client.ts'

/** A person waits for the answer. */
export const hindranceTimeoutMs = 2_000

interface NamedHindrance extends Hindrance {
  /** One sentence, made of numbers and times alone: no words of the pod's. */
  readonly sentence: string
}

/** Of a Task, a pod or a turn. Undefined: nothing hinders it, or its pod does not answer. Nobody waits for a pod that is away. */
export type HindranceOf = (actor: ActorView) => Promise<NamedHindrance | undefined>

interface HindranceDeps {
  readonly runtime: Pick<Runtime, 'read'>
  readonly clock: Pick<Clock, 'now'>
  /** With a deadline of `hindranceTimeoutMs`. */
  readonly client: Pick<WrapperClient, 'hindrance'>
}

export function hindrances({ runtime, clock, client }: HindranceDeps): HindranceOf {
  return async (actor) => {
    const address = podOf(actor)
    const pod = address === undefined ? undefined : await runtime.read(address)
    const { url = '' }: Partial<PodContext> = pod?.context ?? {}
    if (pod?.status !== 'active' || url === '') return undefined
    try {
      const found = await client.hindrance(url)
      return found && named(found, clock.now())
    } catch {
      return undefined
    }
  }
}

/** Times as we write them. @throws RangeError for a time that is none, such as a leap second */
function named({ since, resetsAt, ...more }: Hindrance, now: number): NamedHindrance {
  const iso = (time: string): string => new Date(time).toISOString()
  const found = { ...more, since: iso(since), ...(resetsAt === undefined ? {} : { resetsAt: iso(resetsAt) }) }
  return { ...found, sentence: sentenceOf(found, now) }
}

/** As far as it is asked, of a Task whose pod lives. */
const AtWork = Type.Object({ pod: Type.Object({ alive: Type.Literal(true), ordinal: Type.Integer() }) })

function podOf({ kind, id, address, context }: ActorView): ActorAddress | undefined {
  if (kind === 'pod') return address
  if (kind === 'turn') return `pod:${id.slice(0, id.lastIndexOf('/'))}`
  return kind === 'task' && Check(AtWork, context) ? `pod:${id}/${context.pod.ordinal}` : undefined
}

export function sentenceOf(hindrance: Hindrance, now: number): string {
  const { kind, since, attempts, status, resetsAt, pings = 0 } = hindrance
  const lasts = span(now - Date.parse(since))
  switch (kind) {
    case 'model-silent':
      return `the model has not answered for ${lasts}${
        pings === 0
          ? ', and its stream brings nothing'
          : `: its stream only pings (${pings === 1 ? 'once' : `${pings} times`})`
      }`
    case 'model-retries': {
      const last = status === 0 ? 'by a broken connection' : `with status ${status}`
      return `the model fails for ${lasts}${attempts === undefined ? '' : `: ${attempts} requests in a row, the last ${last}`}`
    }
    case 'usage-limit': {
      const until = resetsAt === undefined ? '' : ` until ${resetsAt}`
      return `the usage limit of the model is reached${until}`
    }
    case 'screen-still':
      return `the agent's screen stands still for ${lasts}, as at a dialog that waits for a person`
    default:
      return kind satisfies never
  }
}

/** The pod's clock may be ahead of ours. */
function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${seconds} s`
}

/** Effects on pods and their turns. A pod that is gone answers nothing: its own final state ends what waits for it. */
import type { EffectParams } from '../../machines/effect.ts'
import type { ActorAddress } from '../../machines/definition.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import type { Hindrance, TurnResult } from '../../machines/turn/schema.ts'
import { messageOf, TerminalError } from '../../runtime/errors.ts'
import type { ActorView, Delivery, EffectContext, TargetRule } from '../../runtime/runtime.ts'
import type { Clock } from '../../http/ports.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { PodPort } from '../ports/pods.ts'
import { WrapperFaultError, type WrapperClient } from './client.ts'
import { turnResult } from './turn-result.ts'

export interface WrapperEffectDeps {
  readonly clock: Clock
  readonly logger: Logger
  readonly pods: PodPort
  readonly client: WrapperClient
  readonly readActor: (address: ActorAddress) => Promise<ActorView | undefined>
  /** Called with each poll of a running turn that its wrapper calls hindered. */
  readonly hindered: (kind: Hindrance['kind']) => void
  /** Who else is told of a turn's result, once it is read; `turn` is the turn actor's id. */
  readonly alsoDeliver?: (turn: string, result: TurnResult) => Promise<readonly Delivery[]>
  /** The text of the pod's n-th turn: bundle, events and assignment as they stand now (BUNDLE-1, EVENTS-6). */
  readonly renderTurn: (turn: EffectParams<'submitTurn'>, ordinal: number) => Promise<string>
}

export const probeText =
  'The platform has seen no activity for a while. If you are still working, carry on; nothing else is asked of you. If you are stuck, say in one line what blocks you.'

/** One that hangs holds its own calls up for a deadline each, and nobody else's; a third may still interrupt it. */
const pod: TargetRule<{ readonly url: string }> = { name: 'pod', of: ({ url }) => url, concurrency: 3 }

function performing<P>(perform: (params: P, context: EffectContext) => Promise<readonly Delivery[]>): typeof perform {
  return perform
}

function deliveryTo(
  context: EffectContext,
  name: string,
  event: Delivery['event'],
  to: ActorAddress = context.actor,
): Delivery {
  return { to, key: `${context.key}/${name}`, event }
}

async function bound(deps: WrapperEffectDeps, context: EffectContext, task: string): Promise<Delivery> {
  await deps.pods.bindVolumes({ task, project: await projectOf(deps, context) })
  return deliveryTo(context, 'bound', { type: 'pod.volumesBound', at: deps.clock.now() })
}

/** What the platform refuses for good ends the pod before it began, by an event of this type. */
async function unlessRefused(
  { clock }: Pick<WrapperEffectDeps, 'clock'>,
  context: EffectContext,
  type: 'pod.vanished' | 'pod.volumesUnbound',
  act: () => Promise<Delivery>,
): Promise<readonly Delivery[]> {
  try {
    return [await act()]
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error
    const { reason, message } = error
    const detail = message === reason ? {} : { detail: message }
    return [deliveryTo(context, 'refused', { type, at: clock.now(), reason, ...detail })]
  }
}

function podId(params: { readonly task: string; readonly ordinal: number }): string {
  return `${params.task}/${params.ordinal}`
}

/** Each turn counts its probes from 1, and a wrapper delivers an id once in the pod's life (PROBE-6). */
function probePrefix({ actor }: EffectContext): string {
  return `${ordinalOf(actor)}/`
}

function ordinalOf(turn: ActorAddress): string {
  return turn.slice(turn.lastIndexOf('/') + 1)
}

/** The effect names the Task alone; its pod knows the Project. */
async function projectOf({ readActor }: WrapperEffectDeps, { actor }: EffectContext): Promise<string> {
  const { project = '' } = ((await readActor(actor))?.context ?? {}) as Partial<PodContext>
  return project
}

/** Read, and still ours to act on: by the time of the answer another process may have begun and ended it. */
async function isOverNow({ readActor }: WrapperEffectDeps, context: EffectContext): Promise<boolean> {
  const actor = await readActor(context.actor)
  context.assertHeld()
  return actor?.status !== 'active'
}

/** Of one that was never created, or whose end was seen before this process began, no watch tells: it would wait for ever (LAW-14). */
async function remove(
  deps: WrapperEffectDeps,
  context: EffectContext,
  pod: string,
  force: boolean,
): Promise<readonly Delivery[]> {
  const state = await deps.pods.remove(pod, { force })
  if (state === 'ending' || (await isOverNow(deps, context))) return []
  const at = deps.clock.now()
  return [deliveryTo(context, 'gone', { type: 'pod.vanished', at, reason: 'nothing-runs' })]
}

/** Handlers in the shape of the runtime's total record: one per effect type of this edge. */
export function wrapperHandlers(deps: WrapperEffectDeps) {
  const { clock, pods, client } = deps
  const isOver = (context: EffectContext): Promise<boolean> => isOverNow(deps, context)

  return {
    bindVolumes: {
      perform: performing(async ({ task }: EffectParams<'bindVolumes'>, context) => {
        return unlessRefused(deps, context, 'pod.volumesUnbound', () => bound(deps, context, task))
      }),
    },
    createPod: {
      concurrency: 4,
      perform: performing(async (params: EffectParams<'createPod'>, context) => {
        if (await isOver(context)) return []
        const create = async (): Promise<Delivery> => {
          const { name } = await pods.create({ ...params, pod: podId(params) })
          return deliveryTo(context, 'created', { type: 'pod.created', at: clock.now(), name })
        }
        return unlessRefused(deps, context, 'pod.vanished', create)
      }),
    },
    readSession: {
      target: pod,
      perform: performing(async (params: EffectParams<'readSession'>, context) => {
        if (await isOver(context)) return []
        const contractVersion = await client.contractVersion(params.url)
        return [deliveryTo(context, 'session', { type: 'pod.session', at: clock.now(), contractVersion })]
      }),
    },
    stopPod: {
      perform: performing(async (params: EffectParams<'stopPod'>, context) => {
        if (params.url !== undefined) {
          await client
            .stop(params.url)
            .catch((error: unknown) =>
              deps.logger.warn(
                { pod: podId(params), error: messageOf(error) },
                'the wrapper did not answer the request to stop',
              ),
            )
        }
        return remove(deps, context, podId(params), false)
      }),
    },
    forceDeletePod: {
      perform: performing((params: EffectParams<'forceDeletePod'>, context) =>
        remove(deps, context, podId(params), true),
      ),
    },
    deleteWorkspace: {
      perform: performing(async (params: EffectParams<'deleteWorkspace'>) => {
        await pods.deleteWorkspace(params.task)
        return []
      }),
    },
    submitTurn: {
      target: pod,
      concurrency: 8,
      perform: performing(async (params: EffectParams<'submitTurn'>, context) => {
        if (await isOver(context)) return []
        return submit(deps, params, context)
      }),
    },
    pollTurn: {
      target: pod,
      concurrency: 8,
      perform: performing(async (params: EffectParams<'pollTurn'>, context) => {
        const read = await readTurn(deps, params, probePrefix(context)).catch((error: unknown) => {
          // The next poll or callback asks again, and a dead pod is told by the watch: no retry of its own.
          deps.logger.info(
            { turn: context.actor, error: messageOf(error) },
            'the platform could not read a turn from the wrapper',
          )
          return []
        })
        const deliveries = await Promise.all(
          read.map(async ({ name, event, turn }) => {
            if (turn === undefined) return [deliveryTo(context, name, event)]
            const others = (await deps.alsoDeliver?.(context.actor.slice('turn:'.length), turn)) ?? []
            return [{ to: context.actor, key: `result/${params.turnId}`, event }, ...others]
          }),
        )
        return deliveries.flat()
      }),
    },
    probeTurn: {
      target: pod,
      perform: performing(async (params: EffectParams<'probeTurn'>, context) => {
        if (await isOver(context)) return []
        await client.probe(params.url, `${probePrefix(context)}${params.probe}`, probeText)
        return []
      }),
    },
    interruptTurn: {
      target: pod,
      perform: performing(async (params: EffectParams<'interruptTurn'>, context) => {
        if (await isOver(context)) return []
        if (await client.interrupt(params.url)) return []
        return [deliveryTo(context, 'refused', { type: 'turn.interruptRefused', at: clock.now() })]
      }),
    },
  }
}

/** A turn is submitted once: a repeat looks for its own key first and adopts what it finds [TURN-2]. */
async function submit(
  deps: WrapperEffectDeps,
  params: EffectParams<'submitTurn'>,
  context: EffectContext,
): Promise<readonly Delivery[]> {
  const key = context.actor.slice('turn:'.length)
  const accepted = (turnId: string): readonly Delivery[] => [
    deliveryTo(context, 'accepted', { type: 'submit.accepted', at: deps.clock.now(), turnId }),
  ]
  const own = async (): Promise<{ mine?: string; live?: string }> => {
    const turns = await deps.client.turns(params.url)
    const mine = turns.find((turn) => turn.idempotencyKey === key)?.turnId
    const live = turns.find((turn) => turn.state === 'running')?.turnId
    return { ...(mine === undefined ? {} : { mine }), ...(live === undefined ? {} : { live }) }
  }
  if (context.attempt > 1) {
    const { mine } = await own()
    if (mine !== undefined) return accepted(mine)
  }
  const text = await deps.renderTurn(params, Number(ordinalOf(context.actor)))
  context.assertHeld()
  const isHandoff = params.purpose === 'handoff'
  const answer = await deps.client.submit(params.url, { key, text, handoff: isHandoff }).catch((error: unknown) => {
    if (!isHandoff || !(error instanceof WrapperFaultError)) throw error
    return { kind: 'failed' } as const
  })
  if (answer.kind === 'accepted') return accepted(answer.turnId)
  const expired = [deliveryTo(context, 'expired', { type: 'submit.expired', at: deps.clock.now() })]
  if (answer.kind === 'expired') return expired
  if (answer.kind === 'failed') {
    // A dying pod holds its slot: its note is written for it at once, unless the turn began all the same (STOP-SEQUENCE-3).
    const { mine: begun } = await own().catch((): { mine?: string } => ({}))
    return begun === undefined ? expired : accepted(begun)
  }
  const { mine, live } = await own()
  if (mine !== undefined) return accepted(mine)
  return [
    deliveryTo(context, 'conflict', {
      type: 'submit.conflict',
      at: deps.clock.now(),
      ...(live === undefined ? {} : { liveTurnId: live }),
    }),
  ]
}

async function readTurn(
  deps: WrapperEffectDeps,
  params: EffectParams<'pollTurn'>,
  probes: string,
): Promise<readonly { name: string; event: Delivery['event']; turn?: TurnResult }[]> {
  const turn = await deps.client.turn(params.url, params.turnId)
  if (turn !== undefined && turn.state !== 'running')
    return [{ name: 'result', event: turnResult(turn, deps.clock.now()), turn }]
  const session = await deps.client.session(params.url)
  if (session.hindrance) deps.hindered(session.hindrance.kind)
  const { probeId = '', answeredAt } = session.lastProbe ?? {}
  // Of an earlier turn of the pod it answers nothing.
  const isAnswer = answeredAt !== undefined && probeId.startsWith(probes)
  const answered = isAnswer ? { probeAnswered: Number(probeId.slice(probes.length)) } : {}
  return [
    {
      name: 'activity',
      event: {
        type: 'turn.activity',
        at: deps.clock.now(),
        lastActivityAt: Date.parse(session.lastActivityAt),
        ...answered,
      },
    },
  ]
}

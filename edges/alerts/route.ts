/**
 * POST /operator/webhooks/{project}/alerts (ALERTS-8, ALERTS-9): size, Project, whether it
 * takes alerts, secret, bearer; only then is the body looked at. What is answered with 202 is durable.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Clock } from '../../runtime/clock.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'
import { projectId, type ProjectSettings } from '../forge/projects.ts'
import type { HttpApp } from '../../http/app.ts'
import { constantTimeEqual } from '../../http/auth/hmac.ts'
import { invalidInput, Problem } from '../../http/problem.ts'
import { incidentOf } from './incident.ts'
import { AlertDelivery } from './payload.ts'

/** A Project's alerting as it stands at this moment. */
export interface Alerting {
  readonly project: ProjectSettings
  readonly enabled: boolean
  /** `webhookSecret` of the Secret that `alerting.secretRef` names. */
  readonly webhookSecret: () => Promise<string | undefined>
}

interface AlertRouteDeps {
  readonly alerting: (project: string) => Promise<Alerting | undefined>
  readonly runtime: Pick<Runtime, 'deliver'>
  /** Entries of alerts that wait in the Project's queue, by its actor id. */
  readonly waiting: (project: string) => Promise<ReadonlySet<string>>
  /** As many may wait in one Project; its sender keeps the others. */
  readonly mostWaiting: number
  /** Alerts that were left to their sender. */
  readonly deferred: (alerts: number) => void
  readonly clock: Clock
}

/** ALERTS-9. */
const bodyLimit = 5 * 1024 * 1024

const Answer = Type.Object({
  routed: Type.Boolean(),
  /** Firing, and not seen before. */
  accepted: Type.Integer(),
  duplicates: Type.Integer(),
  /** Not firing. */
  discarded: Type.Integer(),
})

export function registerAlertWebhook(app: HttpApp, deps: AlertRouteDeps): void {
  const oneByOne = inTurn()
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body))
    scope.post(
      '/operator/webhooks/:project/alerts',
      {
        bodyLimit,
        config: { auth: false },
        schema: {
          summary: 'Delivery of alerts',
          description:
            'Alertmanager’s webhook, with the Project’s `webhookSecret` as bearer. The server answers 202 when it has stored every firing alert, and drops all others. It answers 503 when too many wait: it stored those that fit, and the sender retries the rest.',
          tags: ['webhooks'],
          params: Type.Object({ project: Type.String({ minLength: 1 }) }),
          response: { 202: Answer },
        },
      },
      async (request, reply) => {
        const { project } = request.params as { project: string }
        const alerting = await authorised(deps, project, request.headers.authorization)
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const delivery = decoded(body)
        return reply.code(202).send(await oneByOne(project, () => take(deps, alerting.project, delivery)))
      },
    )
  })
}

/** Deliveries of one Project follow one another: two that count the same room would fill it twice. */
function inTurn(): <T>(name: string, run: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>()
  return (name, run) => {
    const mine = (tails.get(name) ?? Promise.resolve()).then(run, run)
    const tail = mine.catch(() => undefined)
    tails.set(name, tail)
    void tail.then(() => tails.get(name) === tail && tails.delete(name))
    return mine
  }
}

async function authorised(deps: AlertRouteDeps, name: string, given: string | undefined): Promise<Alerting> {
  const alerting = await deps.alerting(name)
  if (alerting === undefined) throw new Problem('not-found', `there is no Project ${name}`)
  if (!alerting.enabled) throw new Problem('not-found', `alerting is off in the Project ${name}`)
  const secret = await alerting.webhookSecret().catch((error: unknown) => {
    throw new Problem('secret-unreadable', 'the secret of the alerts webhook cannot be read', { cause: error })
  })
  if (!secret) throw new Problem('secret-unreadable', 'the Secret of alerting.secretRef has no key webhookSecret')
  const bearer = /^Bearer +(.+?) *$/i.exec(given ?? '')?.[1]
  if (bearer === undefined || !constantTimeEqual(bearer, secret))
    throw new Problem('signature-invalid', 'the bearer token is missing or is not the webhookSecret of the Project', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  return alerting
}

function decoded(body: Buffer): AlertDelivery {
  const value = parsed(body)
  const faults = [...Value.Errors(AlertDelivery, value)]
  if (faults.length === 0) return value as AlertDelivery
  throw invalidInput(faults.map(({ instancePath, message }) => ({ path: instancePath, message })))
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new Problem('malformed-request', 'the payload is not valid JSON', { cause: error })
  }
}

/** A sender that is refused for a while comes again with all of its alerts: those that were taken are duplicates then. */
const comeAgainSeconds = 60
/** Delivered side by side. */
const atOnce = 50

/** Resolved and pending ones are read by the agent, with the alerting tool (WEBHOOK-RULE-4). */
async function take(
  deps: AlertRouteDeps,
  project: ProjectSettings,
  { groupKey, alerts }: AlertDelivery,
): Promise<Static<typeof Answer>> {
  const firing = alerts.filter(({ status }) => status === 'firing')
  const at = deps.clock.now()
  const taken = await fill(
    deps,
    projectId(project),
    firing.map((alert) => incidentOf(project, groupKey, alert, at)),
  )
  if (taken.deferred > 0) {
    deps.deferred(taken.deferred)
    throw new Problem(
      'not-ready',
      `${deps.mostWaiting} alerts already wait in ${project.name}, the limit: send the rest again after Retry-After`,
      {
        members: { ...taken },
        headers: { 'retry-after': String(comeAgainSeconds) },
      },
    )
  }
  const { accepted, duplicates } = taken
  return { routed: firing.length > 0, accepted, duplicates, discarded: alerts.length - firing.length }
}

interface Taken {
  readonly accepted: number
  readonly duplicates: number
  readonly deferred: number
}

/** As many as there is room for. What waits already needs none. */
async function fill(deps: AlertRouteDeps, project: string, incidents: readonly Delivery[]): Promise<Taken> {
  const waiting = await deps.waiting(project)
  const fresh = incidents.filter(({ event }) => !waiting.has(String(event['entry'])))
  let accepted = 0
  let next = 0
  for (let room = deps.mostWaiting - waiting.size; room > 0 && next < fresh.length;) {
    const batch = fresh.slice(next, next + Math.min(room, atOnce))
    const applied = (await Promise.all(batch.map((one) => deps.runtime.deliver(one)))).filter(
      (receipt) => receipt.applied,
    ).length
    next += batch.length
    room -= applied
    accepted += applied
  }
  return { accepted, duplicates: incidents.length - accepted - (fresh.length - next), deferred: fresh.length - next }
}

/**
 * POST /operator/webhooks/{project}/alerts (ALERTS-8, ALERTS-9): size, Project, whether it
 * takes alerts, secret, bearer; only then is the body looked at. What is answered with 202 is durable.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { projectId, type ProjectSettings } from '../forge/projects.ts'
import type { HttpApp } from '../../http/app.ts'
import { constantTimeEqual } from '../../http/auth/hmac.ts'
import { invalidInput, Problem } from '../../http/problems/problem.ts'
import { firingOf, type KnownIncident } from './incident.ts'
import { AlertDelivery, type Alert } from './payload.ts'

/** A Project's alerting as it stands at this moment. */
export interface Alerting {
  readonly project: ProjectSettings
  readonly enabled: boolean
  /** `webhookSecret` of the Secret that `alerting.secretRef` names. */
  readonly webhookSecret: () => Promise<string | undefined>
}

export interface AlertRouteDeps {
  readonly alerting: (project: string) => Promise<Alerting | undefined>
  readonly runtime: Pick<Runtime, 'deliver'>
  /** Entries of alerts that wait in the Project's queue, by its actor id. */
  readonly waiting: (project: string) => Promise<ReadonlySet<string>>
  /** The newest incident of each of these fingerprints that had one. */
  readonly incidents: (
    project: string,
    fingerprints: ReadonlySet<string>,
  ) => Promise<ReadonlyMap<string, KnownIncident>>
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
  /** New incidents. */
  accepted: Type.Integer(),
  /** Firings of an alert whose incident is open. */
  joined: Type.Integer(),
  /** Firings that were sent before. */
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
  const { leftOut, ...taken } = await fill(deps, project, groupKey, firing)
  if (leftOut.length > 0) {
    deps.deferred(leftOut.length)
    throw new Problem(
      'not-ready',
      `${deps.mostWaiting} alerts already wait in ${project.name}, the limit: send the rest again after Retry-After`,
      {
        members: { ...taken, deferred: leftOut.length, leftOut: leftOut.slice(0, mostNamed).map(nameOf) },
        headers: { 'retry-after': String(comeAgainSeconds) },
      },
    )
  }
  return { routed: firing.length > 0, ...taken, discarded: alerts.length - firing.length }
}

/** An answer that a person reads in the log of the sender. */
const mostNamed = 20

function nameOf({ labels: { alertname = 'unnamed' }, fingerprint }: Alert): string {
  return `${alertname.toWellFormed()} ${fingerprint.toWellFormed()}`
}

interface Taken extends Pick<Static<typeof Answer>, 'accepted' | 'joined' | 'duplicates'> {
  readonly leftOut: readonly Alert[]
}

/** As many new incidents as there is room for (ALERTS-10). What joins an open one needs none. */
async function fill(
  deps: AlertRouteDeps,
  project: ProjectSettings,
  groupKey: string,
  alerts: readonly Alert[],
): Promise<Taken> {
  const id = projectId(project)
  const waiting = await deps.waiting(id)
  const incidents = await deps.incidents(id, new Set(alerts.map(({ fingerprint }) => fingerprint)))
  const at = deps.clock.now()
  const count = { accepted: 0, joined: 0, duplicates: 0 }
  const deliver = async (alert: Alert): Promise<void> => {
    const known = incidents.get(alert.fingerprint)
    const { applied, answer } = await deps.runtime.deliver(firingOf(project, groupKey, alert, { at, known }))
    if (!applied) count.duplicates += 1
    else if (answer?.body['firings'] === 1) count.accepted += 1
    else count.joined += 1
  }
  const isOpen = ({ fingerprint }: Alert): boolean => (incidents.get(fingerprint)?.state ?? 'over') !== 'over'
  const joining = alerts.filter(isOpen)
  for (let next = 0; next < joining.length; next += atOnce)
    await Promise.all(joining.slice(next, next + atOnce).map(deliver))
  const fresh = alerts.filter((alert) => !isOpen(alert))
  let next = 0
  for (const room = deps.mostWaiting - waiting.size; next < fresh.length && count.accepted < room;) {
    const batch = fresh.slice(next, next + Math.min(room - count.accepted, atOnce))
    await Promise.all(batch.map(deliver))
    next += batch.length
  }
  return { ...count, leftOut: fresh.slice(next) }
}

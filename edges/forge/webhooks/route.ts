/**
 * POST /operator/webhooks/{project}. The order of WEBHOOKS-9: size, provider, Project, provider of the
 * Project, secret, signature; only then is the body looked at and the delivery recorded, so that the unsigned can
 * neither learn of secrets nor poison the table of seen deliveries.
 */
import { Type, type Static } from 'typebox'
import type { Clock } from '../../../runtime/clock.ts'
import type { HttpApp } from '../../../http/app.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { ForgeChange } from '../change.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { adapters } from '../transport/adapters.ts'
import { projectId, type ProjectDirectory, type ProjectSettings, type Provider } from '../projects.ts'
import { MalformedPayloadError, type WebhookDialect } from './dialect.ts'
import { providerOf } from './providers.ts'
import type { ForgeInbox } from './inbox.ts'

interface WebhookRouteDeps {
  readonly directory: ProjectDirectory
  readonly inbox: Pick<ForgeInbox, 'accept'>
  readonly clock: Clock
}

/** WEBHOOKS-11. */
const WEBHOOK_BODY_LIMIT = 5 * 1024 * 1024

const Taken = Type.Object({
  routed: Type.Boolean(),
  duplicate: Type.Optional(Type.Boolean()),
  pong: Type.Optional(Type.Boolean()),
})

interface Answer {
  readonly status: 200 | 202
  readonly body: Static<typeof Taken>
}

export function registerForgeWebhooks(app: HttpApp, deps: WebhookRouteDeps): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: WEBHOOK_BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    )
    scope.post(
      '/operator/webhooks/:project',
      {
        bodyLimit: WEBHOOK_BODY_LIMIT,
        config: { auth: false },
        schema: {
          ...documentation,
          params: Type.Object({ project: Type.String({ minLength: 1 }) }),
          response: { 200: Taken, 202: Taken },
        },
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const { project } = request.params as { project: string }
        const answer = await accept(deps, project, request.headers, body)
        return reply.code(answer.status).send(answer.body)
      },
    )
  })
}

const documentation = {
  summary: 'Delivery of a forge webhook',
  description:
    'GitHub: `X-Hub-Signature-256` over the raw body, `application/json` or form-encoded. GitLab: the shared token in `X-Gitlab-Token`, or the ' +
    'signature of Standard Webhooks in `webhook-signature` where the secret begins with `whsec_`. The server answers 202 when the delivery is durable: ' +
    '`routed: false` when nothing handles its type, `duplicate: true` when it saw the delivery before. It answers a ping with 200.',
  tags: ['webhooks'],
}

async function accept(
  deps: WebhookRouteDeps,
  name: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<Answer> {
  const provider = providerOf(headers)
  if (provider === undefined) throw new Problem('unknown-provider', 'the headers match neither GitHub nor GitLab')
  const project = await deps.directory.project(name)
  if (project === undefined) throw new Problem('not-found', `there is no Project ${name}`)
  const dialect = dialectOf(project, provider)
  const secret = await webhookSecret(deps.directory, projectId(project))
  if (!dialect.verify(secret, headers, body, deps.clock.now()))
    throw new Problem('signature-invalid', 'the signature does not match the body: compare the webhook secret')
  return route(deps, project, { dialect, headers, body })
}

function dialectOf(project: ProjectSettings, provider: Provider): WebhookDialect {
  if (project.scm.provider !== provider)
    throw new Problem('provider-mismatch', `the Project's scm.provider is ${project.scm.provider}`)
  return adapters[provider].webhooks
}

async function webhookSecret(directory: ProjectDirectory, name: string): Promise<string> {
  const secret = await directory.secret(name).catch((error: unknown) => {
    throw new Problem('secret-unreadable', 'the webhook secret cannot be read', { cause: error })
  })
  if (!secret?.webhookSecret) throw new Problem('secret-unreadable', 'the Secret has no key webhookSecret')
  return secret.webhookSecret
}

interface Delivery {
  readonly dialect: WebhookDialect
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

async function route(
  deps: WebhookRouteDeps,
  project: ProjectSettings,
  { dialect, headers, body }: Delivery,
): Promise<Answer> {
  const event = dialect.eventOf(headers)
  if (dialect.isPing(event)) return { status: 200, body: { routed: false, pong: true } }
  if (!dialect.handles(event)) return { status: 202, body: { routed: false } }
  const { provider, includeConfidential = false } = project.scm
  const sent = jsonTextOf(headers['content-type'], body)
  const payload = payloadIn(sent)
  const kept = includeConfidential ? payload : (dialect.conceal?.(event, payload) ?? payload)
  const change = changeIn(dialect, event, kept)
  const delivery = dialect.deliveryOf(headers, body)
  if (delivery === undefined)
    throw new Problem('malformed-request', 'the header that identifies the delivery is missing or malformed')
  const text = kept === payload ? sent : JSON.stringify(kept)
  const fresh = await deps.inbox.accept(
    { project: project.uid, delivery, provider, event, body: text, at: deps.clock.now() },
    change,
  )
  return { status: 202, body: fresh ? { routed: true } : { routed: true, duplicate: true } }
}

/** JSON, or GitHub's default of a form with one field `payload` (WEBHOOK-RULE-2). */
function jsonTextOf(contentType: string | undefined, body: Buffer): string {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'application/json') return body.toString('utf8')
  if (type === 'application/x-www-form-urlencoded')
    return new URLSearchParams(body.toString('utf8')).get('payload') ?? ''
  throw new Problem('unsupported-media-type', "set the webhook's content type to application/json")
}

function payloadIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed-request', 'the payload is not valid JSON', { cause: error })
  }
}

function changeIn(dialect: WebhookDialect, event: string, payload: unknown): ForgeChange | undefined {
  try {
    return dialect.changeOf(event, payload)
  } catch (error) {
    if (error instanceof MalformedPayloadError) throw new Problem('malformed-request', error.message, { cause: error })
    throw error
  }
}

import { NotFoundError, ValidationError } from '../errors.ts'
import type { ForgeDelivery, ForgePort } from '../port.ts'
import { apiPathOf, type GitlabClient } from './client.ts'
import * as schema from './schema.ts'

type HookPart = Pick<ForgePort, 'resendsAtOnce' | 'ensureHook' | 'listDeliveries' | 'redeliver'>

/** WEBHOOK-RULE-3: what forge_b's hooks are asked to send. */
const hookEvents = {
  push_events: true,
  issues_events: true,
  note_events: true,
  merge_requests_events: true,
  pipeline_events: true,
  job_events: true,
} as const

export function hookPart(client: GitlabClient): HookPart {
  return {
    // docs.gitlab.com, "Project webhooks API": five a minute.
    resendsAtOnce: 5,
    async ensureHook(path, { url, secret }) {
      const hooks = apiPathOf(path, 'hooks')
      const wanted = {
        url,
        token: secret,
        // Servers that know how to sign do, where the secret has the form of a signing key.
        ...(secret.startsWith('whsec_') ? { signing_token: secret } : {}),
        ...hookEvents,
        tag_push_events: false,
        // Who hides an issue has to be heard: what is here of it goes. So has a no in a note that is hidden.
        confidential_issues_events: true,
        confidential_note_events: true,
        enable_ssl_verification: true,
      }
      const ours = (await client.list('list hooks', schema.Hook, { apiPath: hooks })).find((hook) => hook.url === url)
      // The secret can't be read back, so a hook of ours is always written: it may have been rotated.
      const hook = await client.read(
        'write hook',
        schema.Hook,
        ours === undefined
          ? { method: 'POST', apiPath: hooks, body: wanted }
          : { method: 'PUT', apiPath: `${hooks}/${ours.id}`, body: wanted },
      )
      if (ours?.alert_status === 'disabled') await wakeHook(client, `${hooks}/${hook.id}`)
      return { id: String(hook.id), url }
    },
    async listDeliveries(path, hook, since) {
      const found = await client
        .list('list deliveries', schema.HookEvent, { apiPath: apiPathOf(path, 'hooks', hook, 'events') }, (page) =>
          page.some((one) => momentOf(one, Infinity) < since),
        )
        .catch(withoutEvents)
      return found.flatMap((one) => deliveryOf(one, since)).filter((one) => one.at >= since)
    },
    async redeliver(path, hook, attempt) {
      const apiPath = apiPathOf(path, 'hooks', hook, 'events', attempt, 'resend')
      await client.send('redeliver', { method: 'POST', apiPath }).catch(failedAgain)
    },
  }
}

/**
 * GitLab turns a hook off for good after 40 failures, and on again where a test of it is answered. A write changes nothing
 * about that. One that fails leaves it off, and the next resync tries again; a hook that is off for a while comes back alone.
 */
async function wakeHook(client: GitlabClient, hook: string): Promise<void> {
  await client.send('test hook', { method: 'POST', apiPath: `${hook}/test/push_events` }).catch(stillOff)
}

/** Older servers have no such test, and a failed one answers 422. */
function stillOff(error: unknown): void {
  if (!(error instanceof NotFoundError || error instanceof ValidationError)) throw error
}

/** It was sent, and whoever should have taken it did not: another attempt in the list. */
function failedAgain(error: unknown): void {
  if (!(error instanceof ValidationError)) throw error
}

/** Servers before 17.3 keep no list that can be read. */
function withoutEvents(error: unknown): [] {
  if (error instanceof NotFoundError) return []
  throw error
}

/** One whose key nobody knows can't be told from those that arrived, and is left to the resync. */
function deliveryOf(event: schema.HookEvent, since: number): readonly ForgeDelivery[] {
  const delivery = headerOf(event.request_headers, 'idempotency-key') ?? headerOf(event.request_headers, 'webhook-id')
  if (delivery === undefined) return []
  const status = Number(event.response_status)
  return [
    {
      id: String(event.id),
      delivery,
      event: headerOf(event.request_headers, 'x-gitlab-event') ?? '',
      at: momentOf(event, since),
      ok: status >= 200 && status < 300,
    },
  ]
}

/** Servers of before 2026 say no moment; then who was asked may have dated the answer. */
function momentOf({ created_at, response_headers }: schema.HookEvent, unknown: number): number {
  const at = Date.parse(created_at ?? headerOf(response_headers, 'date') ?? '')
  return Number.isFinite(at) ? at : unknown
}

function headerOf(headers: schema.HookEvent['request_headers'], name: string): string | undefined {
  const [, value] = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === 'string' && value !== '' ? value : undefined
}

import type { ForgePort } from '../port.ts'
import { repositoryParamsOf, type GithubClient } from './client.ts'
import * as schema from './schema.ts'

type HookPart = Pick<ForgePort, 'resendsAtOnce' | 'ensureHook' | 'listDeliveries' | 'redeliver'>

/** WEBHOOK-RULE-3: what forge_a's hooks are asked to send. */
export const hookEvents = [
  'push',
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'check_suite',
  'check_run',
  'workflow_run',
  'status',
] as const

const PAGE = { per_page: 100 }

export function hookPart(client: GithubClient): HookPart {
  return {
    resendsAtOnce: 200,
    async ensureHook(path, { url, secret }) {
      const repositoryParams = repositoryParamsOf(path)
      const wanted = {
        config: { url, secret, content_type: 'json', insecure_ssl: '0' },
        events: [...hookEvents],
        active: true,
      }
      const hooks = await client.list('list hooks', schema.Hook, (rest) =>
        rest.paginate(rest.rest.repos.listWebhooks, { ...repositoryParams, ...PAGE }),
      )
      const ours = hooks.find((hook) => hook.config.url === url)
      // The secret can't be read back, so a hook of ours is always written: it may have been rotated.
      const hook = await client.read('write hook', schema.Hook, (rest) =>
        ours === undefined
          ? rest.rest.repos.createWebhook({ ...repositoryParams, ...wanted })
          : rest.rest.repos.updateWebhook({ ...repositoryParams, ...wanted, hook_id: ours.id }),
      )
      return { id: String(hook.id), url }
    },
    async listDeliveries(path, hook, since) {
      const found = await client.list('list deliveries', schema.HookDelivery, (rest) =>
        rest.paginate(
          rest.rest.repos.listWebhookDeliveries,
          { ...repositoryParamsOf(path), ...PAGE, hook_id: Number(hook) },
          (page, done) => {
            const oldest = page.data.at(-1)
            if (oldest !== undefined && Date.parse(oldest.delivered_at) < since) done()
            return page.data
          },
        ),
      )
      return found
        .map((one) => ({
          id: String(one.id),
          delivery: one.guid,
          event: one.event,
          at: Date.parse(one.delivered_at),
          ok: one.status_code >= 200 && one.status_code < 300,
        }))
        .filter((one) => one.at >= since)
    },
    async redeliver(path, hook, attempt) {
      await client.send('redeliver', (rest) =>
        rest.rest.repos.redeliverWebhookDelivery({
          ...repositoryParamsOf(path),
          hook_id: Number(hook),
          delivery_id: Number(attempt),
        }),
      )
    },
  }
}

import { alertStatus } from '../../store/hooks.ts'
import type { Hook, Repository } from '../../store/records.ts'
import type { Delivery } from '../../webhooks/sender.ts'
import type { Json } from './common.ts'

/** The flags of a hook, each with the header of its events and the name that a delivery is listed under. */
export const FLAGS = {
  push_events: ['Push Hook', 'push_hooks'],
  tag_push_events: ['Tag Push Hook', 'tag_push_hooks'],
  issues_events: ['Issue Hook', 'issue_hooks'],
  confidential_issues_events: ['Confidential Issue Hook', 'confidential_issue_hooks'],
  note_events: ['Note Hook', 'note_hooks'],
  confidential_note_events: ['Confidential Note Hook', 'confidential_note_hooks'],
  merge_requests_events: ['Merge Request Hook', 'merge_request_hooks'],
  pipeline_events: ['Pipeline Hook', 'pipeline_hooks'],
  job_events: ['Job Hook', 'job_hooks'],
} as const
export type Flag = keyof typeof FLAGS

export const flags = Object.keys(FLAGS) as Flag[]

export function flagOf(event: string): Flag | undefined {
  return flags.find((flag) => FLAGS[flag][0] === event)
}

/** The token is never shown again. */
export function hookPayload(repository: Repository, hook: Hook, now: number): Json {
  const hasAll = hook.events.includes('*')
  return {
    id: hook.id,
    url: hook.url,
    name: null,
    description: null,
    project_id: repository.id,
    created_at: hook.createdAt,
    ...Object.fromEntries(flags.map((flag) => [flag, hasAll || hook.events.includes(flag)])),
    push_events_branch_filter: null,
    branch_filter_strategy: 'wildcard',
    wiki_page_events: false,
    deployment_events: false,
    releases_events: false,
    feature_flag_events: false,
    milestone_events: false,
    emoji_events: false,
    resource_access_token_events: false,
    repository_update_events: false,
    enable_ssl_verification: true,
    alert_status: alertStatus(hook, now),
    disabled_until: hook.disabledUntil,
    url_variables: [],
    custom_webhook_template: null,
    custom_headers: [],
  }
}

export function hookEventPayload(delivery: Delivery): Json {
  const { headers } = delivery.request
  const flag = flagOf(delivery.message.event)
  return {
    id: delivery.id,
    url: delivery.hook.url,
    trigger: flag ? FLAGS[flag][1] : delivery.message.event,
    request_headers: { ...headers, ...(headers['X-Gitlab-Token'] ? { 'X-Gitlab-Token': '[REDACTED]' } : {}) },
    request_data: delivery.message.payload,
    response_headers: delivery.response.headers,
    response_body: delivery.response.body,
    execution_duration: delivery.durationMs / 1_000,
    response_status: delivery.statusCode === 0 ? 'internal error' : String(delivery.statusCode),
  }
}

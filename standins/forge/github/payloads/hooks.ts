import type { Hook, Repository } from '../../store/records.ts'
import type { Delivery } from '../../webhooks/sender.ts'
import type { Links } from '../links.ts'
import type { Json } from './common.ts'

export function hookPayload(links: Links, repository: Repository, hook: Hook): Json {
  const url = `${links.repository(repository)}/hooks/${hook.id}`
  return {
    type: 'Repository',
    id: hook.id,
    name: 'web',
    active: hook.active,
    events: hook.events,
    config: {
      url: hook.url,
      content_type: hook.contentType,
      insecure_ssl: '0',
      ...(hook.secret ? { secret: '********' } : {}),
    },
    updated_at: hook.updatedAt,
    created_at: hook.createdAt,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: hook.lastResponse,
  }
}

export function deliveryPayload(delivery: Delivery): Json {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt,
    redelivery: delivery.redelivery,
    duration: delivery.durationMs / 1000,
    status: delivery.statusText,
    status_code: delivery.statusCode,
    event: delivery.message.event,
    action: delivery.message.action ?? null,
    installation_id: null,
    repository_id: delivery.repository.id,
    throttled_at: null,
  }
}

export function fullDeliveryPayload(delivery: Delivery): Json {
  return {
    ...deliveryPayload(delivery),
    url: delivery.hook.url,
    request: { headers: delivery.request.headers, payload: delivery.message.payload },
    response: { headers: delivery.response.headers, payload: delivery.response.body },
  }
}

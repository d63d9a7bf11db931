import { Type } from 'typebox'
import { createHook, deleteHook, editHook, findHook } from '../../store/hooks.ts'
import type { Hook } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { record } from '../../store/world.ts'
import type { Delivery } from '../../webhooks/sender.ts'
import { numberParam } from '../../rest.ts'
import { bodyOf, type Answer, type Call, type Route } from '../call.ts'
import { cursorAnswer, listAnswer } from '../paging.ts'
import { deliveryPayload, fullDeliveryPayload, hookPayload } from '../payloads/hooks.ts'
import { formatEvent } from '../webhooks.ts'

const HOOKS = '/repos/:owner/:repo/hooks'
const ONE = `${HOOKS}/:id`

const ContentType = Type.Optional(Type.Union([Type.Literal('json'), Type.Literal('form')]))
const Names = Type.Optional(Type.Array(Type.String()))
const NewHook = Type.Object({
  name: Type.Optional(Type.Literal('web')),
  config: Type.Object({ url: Type.String(), content_type: ContentType, secret: Type.Optional(Type.String()) }),
  events: Names,
  active: Type.Optional(Type.Boolean()),
})
const HookPatch = Type.Object({
  config: Type.Optional(
    Type.Object({ url: Type.Optional(Type.String()), content_type: ContentType, secret: Type.Optional(Type.String()) }),
  ),
  events: Names,
  add_events: Names,
  remove_events: Names,
  active: Type.Optional(Type.Boolean()),
})
const readNewHook = bodyOf(NewHook, 'Hook')
const readPatch = bodyOf(HookPatch, 'Hook')

/** Hooks and what they carried are the admins' alone. */
export const hookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: HOOKS,
    isOfHooks: true,
    run: (call) =>
      listAnswer(call, [...call.repository.hooks.values()], (hook) => hookPayload(call.links, call.repository, hook)),
  },
  {
    method: 'POST',
    path: HOOKS,
    isOfHooks: true,
    run(call) {
      const { config, events, active } = readNewHook(call)
      const hook = createHook(call.world, call.repository, call.writer, {
        url: config.url,
        ...configOf(config),
        ...(events ? { events } : {}),
        ...(active === undefined ? {} : { active }),
      })
      return { status: 201, body: hookPayload(call.links, call.repository, hook) }
    },
  },
  {
    method: 'GET',
    path: ONE,
    isOfHooks: true,
    run: (call) => ({ body: hookPayload(call.links, call.repository, hookOf(call)) }),
  },
  { method: 'PATCH', path: ONE, isOfHooks: true, run: patchHook },
  {
    method: 'DELETE',
    path: ONE,
    isOfHooks: true,
    run(call) {
      deleteHook(call.world, call.repository, call.writer, hookOf(call))
      return { status: 204 }
    },
  },
  {
    method: 'POST',
    path: `${ONE}/pings`,
    isOfHooks: true,
    run(call) {
      const hook = hookOf(call)
      call.sender.send(
        call.repository,
        hook,
        formatEvent(call.links, { type: 'hook.created', repository: call.repository, actor: call.writer.user, hook }),
      )
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: `${ONE}/deliveries`,
    isOfHooks: true,
    run: (call) => cursorAnswer(call, call.sender.deliveries(hookOf(call)).toReversed(), deliveryPayload),
  },
  {
    method: 'GET',
    path: `${ONE}/deliveries/:delivery`,
    isOfHooks: true,
    run: (call) => ({ body: fullDeliveryPayload(deliveryOf(call)) }),
  },
  {
    method: 'POST',
    path: `${ONE}/deliveries/:delivery/attempts`,
    isOfHooks: true,
    run(call) {
      const delivery = deliveryOf(call)
      record(call.world, call.writer.user, 'hook.redeliver', call.repository, {
        detail: { hook: delivery.hook.id, guid: delivery.guid },
      })
      call.sender.redeliver(delivery)
      return { status: 202, body: {} }
    },
  },
]

interface Config {
  readonly content_type?: 'json' | 'form' | undefined
  readonly secret?: string | undefined
}

function configOf({ content_type: contentType, secret }: Config): { contentType?: 'json' | 'form'; secret?: string } {
  return { ...(contentType ? { contentType } : {}), ...(secret === undefined ? {} : { secret }) }
}

function patchHook(call: Call): Answer {
  const { config, events, add_events: addEvents, remove_events: removeEvents, active } = readPatch(call)
  const hook = hookOf(call)
  editHook(call.world, call.repository, call.writer, hook, {
    ...(config?.url === undefined ? {} : { url: config.url }),
    ...configOf(config ?? {}),
    ...(events ? { events } : {}),
    ...(addEvents ? { addEvents } : {}),
    ...(removeEvents ? { removeEvents } : {}),
    ...(active === undefined ? {} : { active }),
  })
  return { body: hookPayload(call.links, call.repository, hook) }
}

function hookOf(call: Call): Hook {
  return findHook(call.repository, numberParam(call, 'id'))
}

function deliveryOf(call: Call): Delivery {
  const id = numberParam(call, 'delivery')
  const delivery = call.sender.deliveries(hookOf(call)).find((one) => one.id === id)
  if (!delivery) throw new Refusal('not-found')
  return delivery
}

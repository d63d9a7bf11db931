import { setTimeout as pause } from 'node:timers/promises'
import { Type, type Static } from 'typebox'
import { ZERO_SHA, refOf } from '../../git/refs.ts'
import { createHook, deleteHook, editHook, findHook } from '../../store/hooks.ts'
import type { Hook } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import { record } from '../../store/world.ts'
import type { Delivery } from '../../webhooks/sender.ts'
import { HttpRefusal, numberParam } from '../../rest.ts'
import { inputOf, type Answer, type Call, type Route } from '../call.ts'
import { listAnswer } from '../paging.ts'
import { flags, hookEventPayload, hookPayload, type Flag } from '../payloads/hooks.ts'
import { formatEvent } from '../webhooks.ts'

const HOOKS = '/projects/:id/hooks'
const ONE = `${HOOKS}/:hook`

const Flags = Object.fromEntries(flags.map((flag) => [flag, Type.Optional(Type.Boolean())])) as Record<
  Flag,
  ReturnType<typeof Type.Optional<ReturnType<typeof Type.Boolean>>>
>
const Token = Type.Optional(Type.String({ pattern: '^[^\\n]*$' }))
const NewHook = Type.Object({ url: Type.String(), token: Token, ...Flags })
const HookPatch = Type.Object({ url: Type.Optional(Type.String()), token: Token, ...Flags })
const readNewHook = inputOf(NewHook)
const readPatch = inputOf(HookPatch)

/** Hooks and what they carried are the maintainers' alone. */
export const hookRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: HOOKS,
    closedBelow: 'maintain',
    run: (call) => listAnswer(call, ownHooks(call), (hook) => show(call, hook)),
  },
  {
    method: 'POST',
    path: HOOKS,
    closedBelow: 'maintain',
    run(call) {
      const { url, token, ...wanted } = readNewHook(call)
      const hook = createHook(call.world, call.repository, call.writer, {
        ...{ url, secret: token ?? null, contentType: 'json', dialect: 'gitlab' },
        events: flagsOf({ push_events: true, ...wanted }, []),
      })
      return { status: 201, body: show(call, hook) }
    },
  },
  { method: 'GET', path: ONE, closedBelow: 'maintain', run: (call) => ({ body: show(call, hookOf(call)) }) },
  { method: 'PUT', path: ONE, closedBelow: 'maintain', run: edit },
  {
    method: 'DELETE',
    path: ONE,
    closedBelow: 'maintain',
    run(call) {
      deleteHook(call.world, call.repository, call.writer, hookOf(call))
      return { status: 204 }
    },
  },
  { method: 'POST', path: `${ONE}/test/push_events`, closedBelow: 'maintain', run: sendTest },
  {
    method: 'GET',
    path: `${ONE}/events`,
    closedBelow: 'maintain',
    run(call) {
      const ended = call.sender.deliveries(hookOf(call)).filter((delivery) => delivery.status !== 'pending')
      const found = ended.filter((delivery) => hasStatus(delivery, call.query.status))
      return listAnswer(call, found.toReversed(), hookEventPayload)
    },
  },
  { method: 'POST', path: `${ONE}/events/:event/resend`, closedBelow: 'maintain', run: resend },
]

/** Each dialect lists and changes the hooks that are sent in its own words. */
function ownHooks(call: Call): Hook[] {
  return [...call.repository.hooks.values()].filter((hook) => hook.dialect === 'gitlab')
}

function hookOf(call: Call): Hook {
  const hook = findHook(call.repository, numberParam(call, 'hook'))
  if (hook.dialect !== 'gitlab') throw new Refusal('not-found')
  return hook
}

function show(call: Call, hook: Hook): unknown {
  return hookPayload(call.repository, hook, call.world.now())
}

function flagsOf(wanted: Partial<Record<Flag, boolean>>, former: readonly string[]): Flag[] {
  const hasAll = former.includes('*')
  return flags.filter((flag) => wanted[flag] ?? (hasAll || former.includes(flag)))
}

/** A new address has to be given its token anew: the old one is not sent to it. */
function edit(call: Call): Answer {
  const { url, token, ...wanted }: Static<typeof HookPatch> = readPatch(call)
  const hook = hookOf(call)
  const isMoved = url !== undefined && url !== hook.url
  editHook(call.world, call.repository, call.writer, hook, {
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? (isMoved ? { secret: null } : {}) : { secret: token }),
    events: flagsOf(wanted, hook.events),
  })
  return { body: show(call, hook) }
}

/** The tip of the default branch as if it were pushed now: a paused hook is put back by it when it arrives. */
async function sendTest(call: Call): Promise<Answer> {
  const { repository, writer } = call
  const hook = hookOf(call)
  const after = (await repository.git.branchTip(repository.defaultBranch)) ?? ZERO_SHA
  const [message] = formatEvent(call.links, {
    ...{ type: 'branch.pushed', repository, actor: writer.user, ref: refOf(repository.defaultBranch) },
    ...{ before: ZERO_SHA, after, forced: false, commits: [] },
  })
  if (!message) throw new Refusal('not-found')
  const delivery = await ended(call.sender.send(repository, hook, message))
  demandAnswer(delivery)
  return { status: 201, body: { message: '201 Created' } }
}

async function resend(call: Call): Promise<Answer> {
  const id = numberParam(call, 'event')
  const delivery = call.sender.deliveries(hookOf(call)).find((one) => one.id === id)
  if (!delivery) throw new Refusal('not-found')
  record(call.world, call.writer.user, 'hook.redeliver', call.repository, {
    detail: { hook: delivery.hook.id, guid: delivery.guid },
  })
  const again = await ended(call.sender.redeliver(delivery))
  demandAnswer(again)
  return { status: 201, body: { response_status: again.statusCode } }
}

/** A receiver that answers, with whatever status, is all that these two ask for. */
function demandAnswer({ statusCode, statusText }: Delivery): void {
  if (statusCode === 0) throw new HttpRefusal(422, statusText)
}

const LOOK_MS = 10

/** The sender gives up on its own after a time. */
async function ended(delivery: Delivery): Promise<Delivery> {
  while (delivery.status === 'pending') await pause(LOOK_MS)
  return delivery
}

const RANGES: Readonly<Record<string, number>> = { successful: 2, client_failure: 4, server_failure: 5 }

function hasStatus({ statusCode }: Delivery, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  const range = RANGES[wanted]
  return range === undefined ? String(statusCode) === wanted : Math.floor(statusCode / 100) === range
}

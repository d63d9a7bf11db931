import type { Actor, Dialect, Hook, Repository } from './records.ts'
import { demand } from './permissions.ts'
import { Refusal } from './refusal.ts'
import { emit, record, timestamp, type World } from './world.ts'

export interface HookInput {
  readonly url: string
  readonly secret?: string | null
  readonly contentType?: 'json' | 'form'
  readonly events?: readonly string[]
  readonly active?: boolean
  /** Default: the repository's. */
  readonly dialect?: Dialect
}

export function createHook(world: World, repository: Repository, actor: Actor, input: HookInput): Hook {
  demand(repository, actor, 'admin')
  checkUrl(input.url)
  if ([...repository.hooks.values()].some((hook) => hook.url === input.url))
    throw new Refusal('hook-exists', { resource: 'Hook' })
  const at = timestamp(world)
  const hook: Hook = {
    id: world.nextId(),
    url: input.url,
    secret: input.secret ?? null,
    contentType: input.contentType ?? 'form',
    events: [...(input.events ?? ['push'])],
    active: input.active ?? true,
    createdAt: at,
    updatedAt: at,
    lastResponse: { code: null, status: 'unused', message: null },
    dialect: input.dialect ?? repository.dialect,
    failures: 0,
    disabledUntil: null,
  }
  repository.hooks.set(hook.id, hook)
  record(world, actor.user, 'hook.create', repository, {
    detail: { hook: hook.id, url: hook.url, events: hook.events },
  })
  emit(world, { type: 'hook.created', repository, actor: actor.user, hook })
  return hook
}

export interface HookPatch extends Partial<HookInput> {
  readonly addEvents?: readonly string[]
  readonly removeEvents?: readonly string[]
}

export function editHook(world: World, repository: Repository, actor: Actor, hook: Hook, patch: HookPatch): void {
  demand(repository, actor, 'admin')
  if (patch.url !== undefined) checkUrl(patch.url)
  const events = [...(patch.events ?? hook.events), ...(patch.addEvents ?? [])].filter(
    (event) => !patch.removeEvents?.includes(event),
  )
  Object.assign(hook, {
    url: patch.url ?? hook.url,
    secret: patch.secret === undefined ? hook.secret : patch.secret,
    contentType: patch.contentType ?? hook.contentType,
    events: [...new Set(events)],
    active: patch.active ?? hook.active,
    updatedAt: timestamp(world),
  })
  record(world, actor.user, 'hook.edit', repository, { detail: { hook: hook.id } })
}

export function deleteHook(world: World, repository: Repository, actor: Actor, hook: Hook): void {
  demand(repository, actor, 'admin')
  repository.hooks.delete(hook.id)
  record(world, actor.user, 'hook.delete', repository, { detail: { hook: hook.id } })
}

export function findHook(repository: Repository, id: number): Hook {
  const hook = repository.hooks.get(id)
  if (!hook) throw new Refusal('not-found')
  return hook
}

function checkUrl(url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Refusal('invalid', { resource: 'Hook', field: 'url', detail: url })
}

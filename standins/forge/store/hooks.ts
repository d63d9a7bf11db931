import type { Actor, Dialect, Hook, Repository } from './records.ts'
import { demandHooks } from './permissions.ts'
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
  demandHooks(repository, actor)
  checkUrl(input.url)
  if ([...repository.hooks.values()].some((hook) => hook.url === input.url))
    throw new Refusal('hook-exists', { resource: 'Hook' })
  const at = timestamp(world, repository)
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
  demandHooks(repository, actor)
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
    updatedAt: timestamp(world, repository),
  })
  record(world, actor.user, 'hook.edit', repository, { detail: { hook: hook.id } })
}

export function deleteHook(world: World, repository: Repository, actor: Actor, hook: Hook): void {
  demandHooks(repository, actor)
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

/** GitLab's: so many failures in a row are let pass, the next one pauses the hook, and after so many it stays off. */
const PASSED_FAILURES = 3
const LAST_FAILURE = 39
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 86_400_000

export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled'

export function alertStatus({ failures, disabledUntil }: Hook, now: number): AlertStatus {
  if (failures > LAST_FAILURE) return 'disabled'
  return disabledUntil !== null && Date.parse(disabledUntil) >= now ? 'temporarily_disabled' : 'executable'
}

/** One that arrives puts the hook back, also one that was sent by hand while it was paused. A redirection is no failure. */
export function noteOutcome(hook: Hook, now: number, statusCode: number): void {
  if (statusCode >= 200 && statusCode < 400) {
    hook.failures = 0
    hook.disabledUntil = null
  } else if (alertStatus(hook, now) === 'executable') {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (hook.failures - PASSED_FAILURES), LONGEST_PAUSE_MS)
    hook.failures += 1
    if (hook.failures > PASSED_FAILURES) hook.disabledUntil = new Date(now + pause).toISOString()
  }
}

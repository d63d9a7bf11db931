import { demand } from './permissions.ts'
import type { Actor, Label, Repository } from './records.ts'
import { Refusal } from './refusal.ts'
import { checkLength, isTooLong } from './text-limits.ts'
import { record, type World } from './world.ts'

export interface LabelInput {
  readonly name: string
  readonly color?: string
  readonly description?: string | null
}

/** GitHub's grey for a label that was made by using its name. */
const DEFAULT_COLOR = 'ededed'

export function findLabel(repository: Repository, name: string): Label {
  const label = repository.labels.get(name.toLowerCase())
  if (!label) throw new Refusal('not-found')
  return label
}

export function createLabel(world: World, repository: Repository, actor: Actor, input: LabelInput): Label {
  demand(repository, actor, 'write')
  checkLabel(repository, input)
  const label = addLabel(world, repository, input)
  record(world, actor.user, 'label.create', repository, { detail: { label: label.name } })
  return label
}

export function editLabel(
  world: World,
  repository: Repository,
  actor: Actor,
  label: Label,
  patch: Partial<LabelInput>,
): void {
  demand(repository, actor, 'write')
  const name = patch.name ?? label.name
  if (name.toLowerCase() !== label.name.toLowerCase()) checkLabel(repository, { ...patch, name })
  repository.labels.delete(label.name.toLowerCase())
  Object.assign(label, {
    name,
    color: patch.color ?? label.color,
    description: patch.description === undefined ? label.description : patch.description,
  })
  repository.labels.set(name.toLowerCase(), label)
  record(world, actor.user, 'label.edit', repository, { detail: { label: name } })
}

export function deleteLabel(world: World, repository: Repository, actor: Actor, label: Label): void {
  demand(repository, actor, 'write')
  repository.labels.delete(label.name.toLowerCase())
  for (const issue of repository.issues.values()) issue.labels = issue.labels.filter((one) => one !== label)
  record(world, actor.user, 'label.delete', repository, { detail: { label: label.name } })
}

/** Finds the labels by name whatever its case, and makes those that don't exist. */
export function ensureLabels(world: World, repository: Repository, names: readonly string[]): Label[] {
  const labels = names.map((name) => {
    if (name.trim() === '' || isTooLong(repository, 'label', name))
      throw new Refusal('invalid', { resource: 'Label', field: 'name', detail: name })
    return repository.labels.get(name.toLowerCase()) ?? addLabel(world, repository, { name })
  })
  return [...new Set(labels)]
}

/** GitLab's scoped labels: of those that share all before the last `::` only the newest stays. `old` are those set so far. */
export function withoutSiblings(labels: readonly Label[], old: readonly Label[]): Label[] {
  const fresh = labels.filter((label) => !old.includes(label))
  return labels.filter((label) => {
    const scope = scopeOf(label)
    const newest = fresh.findLast((one) => scopeOf(one) === scope)
    return scope === undefined || newest === undefined || newest === label
  })
}

function scopeOf({ name }: Label): string | undefined {
  const cut = name.lastIndexOf('::')
  return cut > 0 ? name.slice(0, cut).toLowerCase() : undefined
}

function checkLabel(repository: Repository, input: LabelInput): void {
  if (input.name.trim() === '') throw new Refusal('missing', { resource: 'Label', field: 'name' })
  checkLength(repository, 'label', input.name, 'Label')
  checkLength(repository, 'labelDescription', input.description ?? '', 'Label')
  if (repository.labels.has(input.name.toLowerCase())) throw new Refusal('exists', { resource: 'Label', field: 'name' })
  if (input.color !== undefined && !/^[0-9a-fA-F]{6}$/.test(input.color))
    throw new Refusal('invalid', { resource: 'Label', field: 'color', detail: input.color })
}

function addLabel(world: World, repository: Repository, input: LabelInput): Label {
  const label: Label = {
    id: world.nextId(),
    name: input.name,
    color: input.color ?? DEFAULT_COLOR,
    description: input.description ?? null,
  }
  repository.labels.set(label.name.toLowerCase(), label)
  return label
}

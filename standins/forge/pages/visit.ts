import type { Actions } from '../actions.ts'
import { may } from '../store/permissions.ts'
import { fullName, type Actor, type Comment, type Issue, type Repository } from '../store/records.ts'
import { Refusal } from '../store/refusal.ts'
import { findRepository, type World } from '../store/world.ts'

/** One request of a person. */
export interface Visit {
  readonly world: World
  readonly actions: Actions
  readonly person: Actor
  /** Of the forge's addresses. */
  readonly origin: string
  /** What every address of this person's pages begins with. */
  readonly base: string
}

/** What an address below `base` names. */
export interface Place extends Visit {
  readonly repository: Repository
  readonly kind: Issue['kind']
  readonly number: number | undefined
  readonly verb: string | undefined
}

/** A form that was refused: why, and what was typed. */
export interface Again {
  readonly sentence: string
  readonly typed: Readonly<Record<string, unknown>>
}

const shape = /^(.+)\/(issues|pulls?|merge_requests)(?:\/(\d{1,15}))?(?:\/([a-z]+))?$/

/** The paths of each forge: `acme/cart/pull/1`, `group/sub/cart/-/merge_requests/1`. A repository alone is its issues. */
export function placeOf(visit: Visit, path: string): Place {
  const [, name = path, section = 'issues', number, verb] = shape.exec(path) ?? []
  const [, owner = '', repositoryName = ''] = /^(.+)\/([^/]+)$/.exec(name.replace(/\/-$/, '')) ?? []
  const repository = findRepository(visit.world, owner, repositoryName)
  if (!repository || !may(repository, visit.person, 'read')) throw new Refusal('not-found')
  const kind = section === 'issues' ? 'issue' : 'pull'
  return { ...visit, repository, kind, number: number === undefined ? undefined : Number(number), verb }
}

export function addressOf({ base }: Visit, repository: Repository, kind: Issue['kind'], number?: number): string {
  const ofGithub = kind === 'issue' ? 'issues' : number === undefined ? 'pulls' : 'pull'
  const section = repository.dialect === 'github' ? ofGithub : kind === 'issue' ? '-/issues' : '-/merge_requests'
  return [base, fullName(repository), section, ...(number === undefined ? [] : [number])].join('/')
}

export function mark({ dialect }: Repository, kind: Issue['kind'], number: number): string {
  return `${dialect === 'gitlab' && kind === 'pull' ? '!' : '#'}${number}`
}

/** GitHub counts both kinds in one, and leads from one's address to the other's. */
export function threadAt({ repository, kind, number = -1, actions, person }: Place): Readonly<Issue> {
  const thread = actions.issue(fullName(repository), number, kind)
  if (thread.confidential && thread.author !== person.user && !may(repository, person, 'triage'))
    throw new Refusal('not-found')
  return thread
}

export function commentsFor({ repository, person }: Place, thread: Readonly<Issue>): Comment[] {
  const isMember = may(repository, person, 'triage')
  return [...thread.comments.values()].filter(({ internal }) => !internal || isMember)
}

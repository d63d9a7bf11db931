/** One repository of one Project as a call of the mirror sees it: its settings, the port to its forge, and its people. */
import { TerminalError } from '../../../runtime/errors.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import type { ForgeAccount, ForgePort } from '../port.ts'
import { forgePath, projectId, repositoryNamed, type ProjectSettings, type RepositorySettings } from '../projects.ts'
import type { MirrorOptions } from './options.ts'
import { requireRepositoryKey } from './places/places.ts'
import { bindAccount, boundAccounts } from './store/accounts.ts'
import type { RepositoryKey } from './store/places.ts'
import type { TakeInContext } from './take-in.ts'

/** One repository of one Project, with the port to it. */
export interface Scope {
  readonly project: ProjectSettings
  readonly repository: RepositorySettings
  /** Under which its rows stand. */
  readonly repositoryKey: RepositoryKey
  readonly path: string
  readonly forge: ForgePort
}

export async function requireProject(
  { directory }: Pick<MirrorOptions, 'directory'>,
  id: string,
): Promise<ProjectSettings> {
  const project = await directory.project(id)
  if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${id}`)
  return project
}

export async function openScope(options: MirrorOptions, id: string, name: string): Promise<Scope> {
  const { directory, openForge } = options
  const project = await directory.project(id)
  const repository = project && repositoryNamed(project, name)
  if (project === undefined || repository === undefined) {
    throw new TerminalError('unknown-repository', `there is no Repository ${name} in the Project ${id}`)
  }
  const forge = await openForge(projectId(project))
  const repositoryKey = await requireRepositoryKey(options, project, repository, forge)
  return { project, repository, repositoryKey, path: forgePath(repository, project.scm), forge }
}

/** People as bound now; `accounts` are bound first where they are named. */
export async function takeInContext(
  { clock, rules }: MirrorOptions,
  sql: Queryable,
  { project, repository, repositoryKey }: Scope,
  accounts: readonly ForgeAccount[],
): Promise<TakeInContext> {
  const people = rules.people(project, repository, new Map())
  const now = clock.now()
  for (const account of accounts.filter((one) => one.id !== '' && people.isNamed(one)))
    await bindAccount(sql, project.uid, account, now)
  return {
    project,
    repositoryKey,
    people: rules.people(project, repository, await boundAccounts(sql, project.uid)),
    now,
    rules,
  }
}

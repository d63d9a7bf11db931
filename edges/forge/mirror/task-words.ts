/** The threads of one Task as the mirror has them, each with the people of its own repository. */
import { repositoryNamed, type ProjectSettings } from '../projects.ts'
import type { ThreadRef } from '../task-threads.ts'
import type { MirrorOptions } from './options.ts'
import type { RepositoryKeys } from './places/places.ts'
import { loadThread } from './store/comments.ts'
import type { Thread } from './facts/words.ts'

/** `known`: of that Project. A thread of a repository that is enrolled no more has no maintainers. */
export async function loadThreads(
  { sql, rules, known }: Pick<MirrorOptions, 'sql' | 'rules'> & { readonly known: RepositoryKeys },
  project: ProjectSettings,
  threadRefs: readonly ThreadRef[],
  bound: ReadonlyMap<string, string>,
): Promise<readonly Thread[]> {
  const threads = threadRefs.map(async (threadRef): Promise<readonly Thread[]> => {
    const repository = repositoryNamed(project, threadRef.repository)
    if (repository === undefined) return []
    const at = known.get(threadRef.repository)
    const rows = at === undefined ? [] : await loadThread(sql, { ...threadRef, ...at })
    return [{ threadRef, rows, people: rules.people(project, repository, bound) }]
  })
  return (await Promise.all(threads)).flat()
}

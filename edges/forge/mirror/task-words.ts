/** The threads of one Task as the mirror has them, each with the people of its own repository. */
import { repositoryNamed, type ProjectSettings } from '../projects.ts'
import type { ThreadPlace } from '../task-threads.ts'
import type { MirrorOptions } from './options.ts'
import type { Places } from './places/places.ts'
import { loadThread } from './store/comments.ts'
import type { Thread } from './facts/words.ts'

/** `known`: of that Project. A thread of a repository that is enrolled no more has no maintainers. */
export async function loadThreads(
  { sql, rules, known }: Pick<MirrorOptions, 'sql' | 'rules'> & { readonly known: Places },
  project: ProjectSettings,
  places: readonly ThreadPlace[],
  bound: ReadonlyMap<string, string>,
): Promise<readonly Thread[]> {
  const threads = places.map(async (place): Promise<readonly Thread[]> => {
    const repository = repositoryNamed(project, place.repository)
    if (repository === undefined) return []
    const at = known.get(place.repository)
    const rows = at === undefined ? [] : await loadThread(sql, { ...place, ...at })
    return [{ place, rows, people: rules.people(project, repository, bound) }]
  })
  return (await Promise.all(threads)).flat()
}

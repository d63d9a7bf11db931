import type { ResourceReader } from '../../ports/resources.ts'
import type { KubeObject, ObjectCache } from '../api/api.ts'
import { isDeleting, isMadeByOrchestrator } from '../api/marks.ts'
import type { ResourceCaches } from './reconcile-deps.ts'
import { createResourceReader } from './resources.ts'

/**
 * What people want, as the store of one machine has it.
 *
 * - A Project that is being deleted is not wanted, though it stays while its Tasks close: its generation has grown, so each
 *   `projectChanged` would open it again.
 * - A Task that the platform made is nobody's wish. Its object would be taken for a later life of its own name.
 * - A person's Task that is being deleted is there: its end is looked up by it.
 */
export function peopleReader({ projects, repositories, tasks }: ResourceCaches): ResourceReader {
  return createResourceReader({
    Project: shown(projects, (object) => !isDeleting(object)),
    Repository: shown(repositories, (object) => !isDeleting(object)),
    Task: shown(tasks, (object) => !isMadeByOrchestrator(object)),
  })
}

function shown(cache: ObjectCache, isShown: (object: KubeObject) => boolean): Pick<ObjectCache, 'get' | 'list'> {
  return {
    get: (name) => {
      const object = cache.get(name)
      return object !== undefined && isShown(object) ? object : undefined
    },
    list: (namespace) => cache.list(namespace).filter(isShown),
  }
}

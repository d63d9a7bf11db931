/** Tasks of any kind at work; test code only. */
import { ATask, type Options } from './a-task.ts'
import type { TaskSeed } from './events.ts'

/** A Task of this kind at its first turn; it owns nothing. */
export function working(kind: TaskSeed['kind'], options: Options = {}): ATask {
  return new ATask().mint({ kind, issues: [], ...options }).running()
}

/** A documentation or upgrade Task with an open merge request, back at work. */
export function reworking(kind: 'documentation' | 'upgrade'): ATask {
  return working(kind)
    .submit()
    .ended({ pushed: ['lib'] })
    .final()
    .ready()
    .running()
    .requestChanges()
    .final()
    .running()
}

/** A Task as tests build it, with all that it was told: every moment of it can be lived again elsewhere. */
import { ATask, taskId } from '../../machines/testing/a-task.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { statePath } from '../../runtime/step/state-path.ts'

/** An event, or the name of a timer that fired. */
export type Told = { readonly type: string; readonly [field: string]: unknown } | { readonly timer: string }

export interface Moment {
  readonly told: readonly Told[]
  readonly path: string
  readonly context: TaskContext
}

export class TaskStory extends ATask {
  readonly moments: Moment[] = []

  override send(type: string, fields: Readonly<Record<string, unknown>> = {}): this {
    super.send(type, fields)
    return this.#note({ type, ...fields })
  }

  override fire(timer: string): this {
    super.fire(timer)
    return this.#note({ timer })
  }

  #note(one: Told): this {
    const told = [...(this.moments.at(-1)?.told ?? []), one]
    this.moments.push({ told, path: statePath(this.value), context: this.context })
    return this
  }
}

/** The same under another id. */
export function renamed<T>(told: T, id: string): T {
  return JSON.parse(JSON.stringify(told).replaceAll(taskId, id)) as T
}

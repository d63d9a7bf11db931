/** How each Task stands, by the comment of it on the forge (decisions/0018), against how it stands. */
import { people } from '../../standins/people.ts'
import { standingTopic, topicMarker } from '../../edges/forge/marker.ts'
import { ownThread } from '../../edges/forge/standing/thread.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import type { Said } from './forge.ts'
import { nameOf } from './thread.ts'

export function markOf(task: string): string {
  return topicMarker(`${standingTopic}/${task}`)
}

/** What is not so with the comments of Tasks that have ended: of each exactly one, which says how it ended. */
export function wrongStandings(tasks: readonly ActorView[], words: readonly Said[]): readonly string[] {
  const ours = words.filter(({ author }) => author === people.bot)
  return tasks.flatMap((task) => {
    const context = task.context as unknown as TaskContext
    const thread = ownThread(context)
    if (thread === undefined || task.status !== 'done') return []
    const { repository, on, number } = thread
    const name = nameOf({ repository, kind: on === 'mr' ? 'pull' : 'issue', number })
    const own = ours.filter((one) => one.thread === name && one.body.includes(markOf(context.id)))
    const [first] = own
    if (first === undefined) return [`standing: nothing on ${name} says how ${task.address} ended`]
    if (own.length > 1) return [`standing: ${own.length} comments on ${name} say how ${task.address} stands`]
    return first.body.includes(`ended, \`${context.stage.name}\``)
      ? []
      : [`standing: the comment on ${name} does not say that ${task.address} ended as ${context.stage.name}`]
  })
}

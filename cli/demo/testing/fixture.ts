/** A whole stack for a test: its people answer as the scenario says, its pods run the real agent program. Test code only. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasTopicOf, standingTopic } from '../../../edges/forge/marker.ts'
import { removeFolder } from '../../../edges/local/pod-folder.ts'
import { listAll } from '../../server/client.ts'
import { people } from '../../../standins/people.ts'
import type { Stack } from '../../local/stack.ts'
import type { AuditEntry } from '../../../standins/forge/store/audit.ts'
import { loadScenario } from '../../../standins/scenarios/load.ts'
import { openOf } from '../open.ts'
import { startPeople } from '../people.ts'
import type { TaskResource } from '../report.ts'
import { openIssue, startNamed } from '../run.ts'
import { textOf } from '../verdict.ts'

export interface Story {
  readonly stack: Stack
  /** `owner/name` of the repository on the forge. */
  readonly repository: string
  /** What everybody did on the forge since the stack was up: an issue, comments, pushes, labels, merges. */
  deeds(): readonly AuditEntry[]
  /** What the bot did of these. */
  botDeeds(...actions: readonly AuditEntry['action'][]): readonly AuditEntry[]
  /** Bodies of the bot's comments, without hidden markers; those that say how a Task stands are no part of the conversation. */
  botComments(): readonly string[]
  openIssue(): number
  tasks(): Promise<readonly TaskResource[]>
  /** The one Task, once it stands at the stage, its pods are gone and nothing is left to be done. */
  untilAtRest(stage: string): Promise<TaskResource>
}

/** Long enough for a machine that runs other tests beside; a run that hangs ends with the story so far. */
const restLimitMs = 120_000
const lookMs = 200

/**
 * Plays the scenario of the file on a forge of this dialect; everything that it started has ended when this returns, and its
 * folder is gone.
 */
export async function withStory(
  file: string,
  body: (story: Story) => Promise<void>,
  forge: Stack['dialect'] = 'github',
): Promise<void> {
  const scenario = await loadScenario(join(import.meta.dirname, '..', '..', '..', 'standins', 'scenarios', file))
  const root = mkdtempSync(join(tmpdir(), 'statewright-story-'))
  const lines: string[] = []
  const write = (text: string): void => void lines.push(text)
  const model = { provider: 'scripted' } as const
  const dir = join(root, 'stack')
  try {
    const { stack } = await startNamed({ dir, scenario, forge, port: 0, model, unsafeNoIsolation: false, write })
    const crowd = startPeople(stack, scenario, write)
    try {
      await body(storyOf(stack, () => openIssue(stack, scenario).number, lines))
    } finally {
      crowd.close()
      await stack.stop()
    }
  } finally {
    removeFolder(root)
  }
}

function storyOf(stack: Stack, open: Story['openIssue'], lines: readonly string[]): Story {
  const { client, forge, fullName: repository } = stack
  const before = forge.audit().length
  const deeds = (): readonly AuditEntry[] => forge.audit().slice(before)
  const botDeeds: Story['botDeeds'] = (...actions) =>
    deeds().filter(({ actor, action }) => actor === people.bot && actions.includes(action))
  const tasks: Story['tasks'] = () => listAll<TaskResource>(client, '/resources/tasks')
  return {
    stack,
    repository,
    deeds,
    botDeeds,
    botComments: () =>
      botDeeds('comment.create')
        .map(({ detail }) => String(detail?.['body']))
        .filter((body) => !hasTopicOf(body, standingTopic))
        .map(textOf),
    openIssue: open,
    tasks,
    async untilAtRest(stage) {
      const limit = Date.now() + restLimitMs
      for (let wasQuiet = false; ; await pause(lookMs)) {
        await forge.idle()
        const found = await tasks()
        const [task, ...others] = found
        const places = found.map(({ metadata, status }) => `${metadata.name} at ${status.stage}`)
        const { pods, effects = [], dead = [] } = (await openOf(client)) ?? {}
        const isQuiet = task?.status.stage === stage && pods?.length === 0 && effects.length === 0
        const reason = `Tasks: ${places.join(', ')}; given up: ${dead.map(({ type }) => type).join(', ')}`
        if (others.length > 0 || dead.length > 0 || Date.now() > limit)
          throw new Error(
            `no Task rests at ${stage}. ${[reason, ...lines.slice(-30), ...deliveriesOf(stack)].join('\n')}`,
          )
        // Between an effect's end and what its actor asks next nothing is open for a moment: it is quiet when it stays so.
        if (isQuiet && wasQuiet) return task
        wasQuiet = isQuiet
      }
    },
  }
}

function deliveriesOf({ forge }: Stack): readonly string[] {
  return forge
    .deliveries()
    .map(({ message, status, statusCode }) => `webhook ${message.event} ${message.action}: ${status} ${statusCode}`)
}

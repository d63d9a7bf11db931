/** A whole stack for a test: its people answer as the scenario says, its pods run the real agent program. Test code only. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasTopicOf, standingTopic } from '../../../edges/forge/marker.ts'
import { removeFolder } from '../../../edges/local/pod-folder.ts'
import { listAll } from '../../server/client.ts'
import { loginOf, people } from '../../../standins/people.ts'
import { startStack, type Stack } from '../../local/stack.ts'
import type { AuditEntry } from '../../../standins/forge/store/audit.ts'
import { loadScenario } from '../../../standins/scenarios/load.ts'
import { startPeople } from '../people.ts'
import { untilReady } from '../run.ts'
import { createTeller } from '../story.ts'

export interface TaskView {
  readonly metadata: { readonly name: string }
  readonly status: {
    readonly stage: string
    readonly stageClass: string
    readonly stageReason: string | null
    readonly stages: readonly { readonly stage: string }[]
  }
}

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
  tasks(): Promise<readonly TaskView[]>
  /** The one Task, once it stands at the stage, its pods are gone and nothing is left to be done. */
  untilAtRest(stage: string): Promise<TaskView>
}

/** Long enough for a machine that runs other tests beside; a run that hangs ends with the story so far. */
const restLimitMs = 120_000
const lookMs = 200
/** pino's. */
const warnLevel = 40

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
  const dir = join(root, 'stack')
  mkdirSync(dir)
  const told: string[] = []
  const teller = createTeller((text) => told.push(text), Date.now(), Date.now)
  try {
    const stack = await startStack({
      dir,
      scenario,
      forge,
      port: 0,
      model: { provider: 'scripted' },
      unsafeNoIsolation: false,
      onLine: (line) => {
        teller.line(line)
        if (Number(line['level']) >= warnLevel) told.push(JSON.stringify(line))
      },
    })
    const crowd = startPeople(stack, scenario, teller.say)
    try {
      await untilReady(stack)
      await body(storyOf(stack, scenario.task?.issue, told))
    } finally {
      crowd.close()
      await stack.stop()
    }
  } finally {
    removeFolder(root)
  }
}

type Issue = NonNullable<Awaited<ReturnType<typeof loadScenario>>['task']>['issue']

function storyOf(stack: Stack, issue: Issue | undefined, told: readonly string[]): Story {
  const repository = stack.fullName
  const before = stack.forge.audit().length
  const deeds = (): readonly AuditEntry[] => stack.forge.audit().slice(before)
  const botDeeds: Story['botDeeds'] = (...actions) =>
    deeds().filter(({ actor, action }) => actor === people.bot && actions.includes(action))
  const tasks: Story['tasks'] = () => listAll<TaskView>(stack.client, '/resources/tasks')
  return {
    stack,
    repository,
    deeds,
    botDeeds,
    botComments: () =>
      botDeeds('comment.create')
        .map(({ detail }) => String(detail?.['body']))
        .filter((body) => !hasTopicOf(body, standingTopic))
        .map((body) => textOf(body)),
    openIssue() {
      if (issue === undefined) throw new Error('the scenario opens no issue')
      const { title, body, labels = [stack.triggerLabel], as = 'reporter' } = issue
      return stack.forge.openIssue(loginOf(as), repository, { title, body, labels: [...labels] }).number
    },
    tasks,
    async untilAtRest(stage) {
      const limit = Date.now() + restLimitMs
      let wasQuiet = false
      for (let found: readonly TaskView[] = []; ; await pause()) {
        if (Date.now() > limit)
          throw new Error(`no Task rests at ${stage}: ${describeAll(found, told)}\n${deliveriesOf(stack)}`)
        await stack.forge.idle()
        found = await tasks()
        const [task, ...others] = found
        if (others.length > 0) throw new Error(`more than one Task: ${describeAll(found, told)}`)
        // Between an effect's end and what its actor asks next nothing is open for a moment: it is quiet when it stays so.
        const isQuietNow = task?.status.stage === stage && (await isQuiet(stack))
        if (task !== undefined && isQuietNow && wasQuiet) return task
        wasQuiet = isQuietNow
      }
    },
  }
}

/** No pod lives and no effect waits; what was given up for good is a fault of its own. */
async function isQuiet(stack: Stack): Promise<boolean> {
  const { pods, effects } = (await stack.client.call('GET', '/operations/open')) as {
    readonly pods: readonly unknown[]
    readonly effects: readonly { readonly type: string; readonly state: string }[]
  }
  const dead = effects.filter(({ state }) => state === 'dead')
  if (dead.length > 0) throw new Error(`given up: ${dead.map(({ type }) => type).join(', ')}`)
  return pods.length === 0 && effects.length === 0
}

function textOf(body: string): string {
  return body.replaceAll(/<!--.*?-->/gs, '').trim()
}

function describeAll(tasks: readonly TaskView[], told: readonly string[]): string {
  const places = tasks.map(({ metadata, status }) => `${metadata.name} at ${status.stage}`).join(', ')
  return `${places || 'none was minted'}\n${told.slice(-30).join('\n')}`
}

function deliveriesOf({ forge }: Stack): string {
  return forge
    .deliveries()
    .map(({ message, status, statusCode }) => `webhook ${message.event} ${message.action}: ${status} ${statusCode}`)
    .join('\n')
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, lookMs))
}

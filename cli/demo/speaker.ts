/**
 * The maintainer who speaks beside the kills, as planned, and lifts each word that withheld the merge. Webhooks that
 * found nobody are sent again by hand, late enough that the platform had to live without them.
 */
import type { Forge } from '../local/standins.ts'
import { git } from '../local/git-seed.ts'
import type { Stack } from '../local/stack.ts'
import { people } from '../../standins/people.ts'
import { asWrittenOn } from './people.ts'
import { missed, resendMissed } from './missed.ts'
import { firstLine } from './said.ts'
import { shortestLiftMs, type Form, type Moment, type PlannedWord } from './word-plan.ts'

export interface SpokenWord {
  readonly at: string
  /** `n` of the kill beside which it was said; null: the time of a lift had come. */
  readonly kill: number | null
  readonly moment: Moment | null
  readonly number: number
  readonly form: Form
  readonly sort: PlannedWord['sort'] | 'lift'
  readonly text: string
}

export interface Speaker {
  /** Resolves when the forge has the words of this moment. */
  beside(kill: number, moment: Moment): Promise<void>
  /** Nothing that was said waits to be lifted, and no webhook to be sent again. */
  idle(): boolean
  spoken(): readonly SpokenWord[]
  /** Sends every webhook that found nobody once more, and resolves when all have been taken. */
  sendMissed(): Promise<void>
  close(): void
}

interface Open {
  readonly word: PlannedWord
  readonly saidAt: number
  /** When the orchestrator answered again after the kill: from then on it can obey the word, or not. */
  readonly upAt: number | undefined
}

interface SpeakerOptions {
  readonly forge: Forge
  readonly repository: string
  readonly dialect: Stack['dialect']
  readonly barePath: string
  readonly words: readonly PlannedWord[]
  readonly say: (text: string) => void
  readonly now: () => number
}

const lookMs = 250
const resendLimitMs = 30_000
/** No orchestrator takes longer to start; the demo must not hang when one never does. */
const startLimitMs = 60_000

/** Plain comments are on the forge before this returns: right before a kill nothing else may happen. */
export function startSpeaker(options: SpeakerOptions): Speaker {
  const { forge, words, now } = options
  const spoken: SpokenWord[] = []
  const open = new Set<Open>()

  async function speak(words: string, form: Form, sort: SpokenWord['sort'], beside: Beside | null): Promise<void> {
    const thread = threadOf(options, form)
    // There is no review without a merge request.
    const known = sort === 'changes' && thread.form === 'issue' ? `/hold\n\n${words}` : words
    const text = asWrittenOn(options.dialect, thread.form === 'issue' ? 'issue' : 'pull', known)
    const at = new Date(now()).toISOString()
    spoken.push({
      at,
      kill: beside === null ? null : beside.kill + 1,
      moment: beside?.moment ?? null,
      ...thread,
      sort,
      text,
    })
    const place = beside === null ? '' : ` ${beside.moment} kill ${beside.kill + 1}`
    options.say(
      `forge: ${people.maintainer} (${sort}, ${thread.form} of #${thread.number})${place}: ${firstLine(text)}`,
    )
    await write(options, thread, sort, text)
  }

  async function lift(one: Open, beside: Beside | null): Promise<void> {
    open.delete(one)
    if (one.word.lift !== null) await speak(one.word.lift.text, one.word.lift.form, 'lift', beside)
  }

  function noteUp(kill: number): void {
    for (const one of open) {
      if (one.word.kill !== kill || one.upAt !== undefined) continue
      open.delete(one)
      open.add({ ...one, upAt: now() })
    }
  }

  async function liftOverdue(): Promise<void> {
    for (const one of open) {
      const dueAt = one.upAt === undefined ? one.saidAt + startLimitMs : one.upAt + (one.word.lift?.afterMs ?? 0)
      if (now() >= dueAt) await lift(one, null)
    }
  }

  const timer = setInterval(() => {
    liftOverdue().catch((error: unknown) => options.say(`the maintainer could not speak: ${String(error)}`))
    resendMissed(forge, now())
  }, lookMs)

  return {
    async beside(kill, moment) {
      for (const one of open) {
        const isDue = one.word.lift?.kill === kill && moment === 'down' && now() - one.saidAt >= shortestLiftMs
        if (isDue) await lift(one, { kill, moment })
      }
      for (const word of words.filter((one) => one.kill === kill && one.moment === moment)) {
        await speak(word.text, word.form, word.sort, { kill, moment })
        if (word.lift !== null) open.add({ word, saidAt: now(), upAt: undefined })
      }
      if (moment === 'after') noteUp(kill)
    },
    idle: () => open.size === 0 && missed(forge, now()).length === 0,
    spoken: () => spoken,
    sendMissed: () => sendMissed(options),
    close: () => clearInterval(timer),
  }
}

interface Beside {
  readonly kill: number
  readonly moment: Moment
}

async function sendMissed({ forge, now }: SpeakerOptions): Promise<void> {
  const limit = now() + resendLimitMs
  for (let left = missed(forge, now()); left.length > 0 && now() < limit; left = missed(forge, now())) {
    for (const { id } of left) forge.redeliver(id)
    await forge.idle()
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

interface Thread {
  readonly number: number
  readonly form: Form
}

function threadOf({ forge, repository }: SpeakerOptions, form: Form): Thread {
  const threads = forge.issues(repository)
  const pull = threads.findLast(({ kind, state }) => kind === 'pull' && state === 'open')
  if (form !== 'issue' && pull !== undefined) return { number: pull.number, form }
  return { number: threads.find(({ kind }) => kind === 'issue')?.number ?? 1, form: 'issue' }
}

async function write(
  { forge, repository, barePath }: SpeakerOptions,
  { number, form }: Thread,
  sort: SpokenWord['sort'],
  text: string,
): Promise<void> {
  const by = people.maintainer
  if (form === 'issue' || form === 'mergeRequest')
    return void forge.comment(by, repository, number, text, form === 'issue' ? 'issue' : 'pull')
  if (form === 'line') {
    const path = await changedPath(forge, repository, barePath, number)
    return void (await forge.review(by, repository, number, {
      event: 'COMMENT',
      comments: [{ path, body: text, wholeFile: true }],
    }))
  }
  const event = sort === 'changes' ? 'REQUEST_CHANGES' : sort === 'lift' ? 'APPROVE' : 'COMMENT'
  await forge.review(by, repository, number, { event, body: text })
}

async function changedPath(forge: Forge, repository: string, barePath: string, number: number): Promise<string> {
  const pull = forge.issue(repository, number, 'pull')
  if (pull.kind !== 'pull') throw new Error(`#${number} is no merge request`)
  const changed = await git(barePath, 'diff', '--name-only', pull.diffBase, pull.headSha)
  return changed.split('\n')[0] ?? ''
}

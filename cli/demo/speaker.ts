/**
 * The maintainer who speaks beside the kills. What is written is drawn from their seed; each word that withholds the merge
 * has the word that lifts it, with a time limit: so the story can always end.
 */
import { seeded, type Random } from '../../runtime/random.ts'
import { people } from '../../standins/people.ts'
import { git } from '../local/git-seed.ts'
import type { Forge } from '../local/standins.ts'
import type { Stack } from '../local/stack.ts'
import { asWrittenOn } from './people.ts'
import { firstLine } from './maintainer-comments.ts'

/** Right before the kill; while the victim is down; when the orchestrator answers again. */
const moments = ['before', 'down', 'after'] as const
export type Moment = (typeof moments)[number]
/** Where it is written. Before there is a merge request, all is written on the issue. */
const forms = ['issue', 'mergeRequest', 'review', 'line'] as const

type Sort = 'remark' | 'hold' | 'doubt' | 'changes'

export interface PlannedWord {
  /** Index of the kill. */
  readonly kill: number
  readonly moment: Moment
  readonly sort: Sort
  readonly form: (typeof forms)[number]
  readonly text: string
  /** Of a word that withholds the merge. `isBeside`: a later kill, if one comes before `afterMs` since the restart are over. */
  readonly lift: (Pick<PlannedWord, 'form' | 'text'> & { readonly isBeside: boolean; readonly afterMs: number }) | null
}

/** Each costs a park and another pod: more would only make the run longer. */
export const mostWithdrawals = 3
/** A lift of the same second as its word lifts nothing, because forges date in whole seconds. */
const shortestLiftMs = 2_500
/** A merge that is going to be asked for is asked for within some seconds: an earlier lift would hide a merge over the word. */
export const earliestLiftMs = 8_000
export const longestLiftMs = 20_000
/** How often a kill has a second word. */
const secondShare = 0.4
/** Keeps these draws apart from those of the kills. */
const salt = 0x5ea4

export function planWords(kills: number, seed: number): readonly PlannedWord[] {
  const draw = seeded(seed ^ salt)
  const indexes = Array.from({ length: kills }, (_, kill) => kill)
  const withheldAt = shuffled(draw, indexes).slice(0, mostWithdrawals)
  const places = indexes.flatMap((kill) =>
    shuffled(draw, moments)
      .slice(0, draw() < secondShare ? 2 : 1)
      .map((moment, nth) => ({ kill, moment, rank: nth === 0 ? withheldAt.indexOf(kill) : -1 })),
  )
  return places.map(({ kill, moment, rank }, index) => {
    // A review takes the forge some time: right before a kill it would come too late for the state that the kill is aimed at.
    const isEarly = moment === 'before'
    const name = `Word ${index + 1} of seed ${seed}`
    // The first is a `/hold`; of requests for changes there is one at most, since each costs a lap of work.
    const sorts: Sort[][] = [['hold'], isEarly ? ['doubt'] : ['doubt', 'changes'], ['hold', 'doubt']]
    const sort = pick<Sort>(draw, sorts[rank] ?? ['remark'])
    const form = sort === 'changes' ? 'review' : pick(draw, isEarly ? forms.slice(0, 2) : forms)
    const lift = {
      form: pick(draw, forms.slice(0, 3)),
      isBeside: draw() < 0.5,
      afterMs: Math.round(earliestLiftMs + draw() * (longestLiftMs - earliestLiftMs)),
      text: `/approve\n\n${name} is answered.`,
    }
    return { kill, moment, sort, form, text: textOf(sort, name), lift: sort === 'remark' ? null : lift }
  })
}

function textOf(sort: Sort, name: string): string {
  if (sort === 'hold') return `/hold\n\n${name}: I want to look at this first.`
  if (sort === 'doubt') return `${name}: please hold off, legal has to look at this first.`
  return `${name}: ${sort === 'changes' ? 'the error could name the position too' : 'the names of the tests read well'}.`
}

function pick<T>(draw: Random, from: readonly T[]): T {
  return from[Math.floor(draw() * from.length)] as T
}

export function shuffled<T>(draw: Random, all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, order: draw() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ one }) => one)
}

export interface SpokenWord extends Pick<PlannedWord, 'form' | 'text'> {
  readonly at: string
  /** `n` of the kill beside which it was said; null: the time of a lift had come. */
  readonly kill: number | null
  readonly moment: Moment | null
  readonly number: number
  readonly sort: Sort | 'lift'
}

export interface Speaker {
  /** Resolves when the forge has the words of this moment. */
  beside(kill: number, moment: Moment): Promise<void>
  /** Nothing that was said waits to be lifted. */
  idle(): boolean
  spoken(): readonly SpokenWord[]
  close(): void
}

interface SpeakerOptions extends Pick<Stack, 'forge' | 'fullName' | 'dialect' | 'barePath'> {
  readonly words: readonly PlannedWord[]
  readonly write: (text: string) => void
  readonly now: () => number
}

type Place = readonly [kill: number, moment: Moment] | readonly []

interface Times {
  readonly spokenAt: number
  /** When it is lifted. From the restart on the orchestrator can obey it, or not. */
  readonly dueAt: number
}

const lookMs = 250
/** No orchestrator takes longer to start; the demo must not hang when one never does. */
const startLimitMs = 60_000

/** Plain comments are on the forge before this returns: right before a kill nothing else may happen. */
export function startSpeaker(options: SpeakerOptions): Speaker {
  const { forge, fullName: repository, dialect, barePath, write, now } = options
  const spoken: SpokenWord[] = []
  const open = new Map<PlannedWord, Times>()
  const speak = async (word: Pick<SpokenWord, 'form' | 'text' | 'sort'>, ...[kill, moment]: Place): Promise<void> => {
    const { sort } = word
    const threads = forge.issues(repository)
    const pull = threads.findLast((one) => word.form !== 'issue' && one.kind === 'pull' && one.state === 'open')
    const form = pull === undefined ? 'issue' : word.form
    const { number, kind } = pull ?? threads.find((one) => one.kind === 'issue')!
    // There is no review without a merge request.
    const known = sort === 'changes' && form === 'issue' ? `/hold\n\n${word.text}` : word.text
    const text = asWrittenOn(dialect, kind, known)
    const nth = kill === undefined ? null : kill + 1
    spoken.push({ at: new Date(now()).toISOString(), kill: nth, moment: moment ?? null, number, form, sort, text })
    const place = nth === null ? '' : ` ${moment} kill ${nth}`
    write(`forge: ${people.maintainer} (${sort}, ${form} of #${number})${place}: ${firstLine(text)}`)
    if (form === 'issue' || form === 'mergeRequest')
      return void forge.comment(people.maintainer, repository, number, text, kind)
    const event = sort === 'changes' ? 'REQUEST_CHANGES' : sort === 'lift' ? 'APPROVE' : 'COMMENT'
    const path = form === 'line' ? await changedPath(barePath, pull) : ''
    const words = form === 'line' ? { comments: [{ path, body: text, wholeFile: true }] } : { body: text }
    await forge.review(people.maintainer, repository, number, { event, ...words })
  }
  const lift = async (isDue: (word: PlannedWord, at: Times) => boolean, ...place: Place): Promise<void> => {
    for (const [word, at] of open) {
      if (word.lift === null || !isDue(word, at)) continue
      open.delete(word)
      await speak({ ...word.lift, sort: 'lift' }, ...place)
    }
  }
  const timer = setInterval(() => {
    lift((_, { dueAt }) => now() >= dueAt).catch((error: unknown) => write(`the maintainer could not speak: ${error}`))
  }, lookMs)
  return {
    async beside(kill, moment) {
      const isLate = ({ spokenAt }: Times): boolean => now() - spokenAt >= shortestLiftMs
      if (moment === 'down')
        await lift((word, at) => word.lift?.isBeside === true && word.kill !== kill && isLate(at), kill, moment)
      for (const word of options.words.filter((one) => one.kill === kill && one.moment === moment)) {
        await speak(word, kill, moment)
        if (word.lift !== null) open.set(word, { spokenAt: now(), dueAt: now() + startLimitMs })
      }
      if (moment !== 'after') return
      for (const [word, { spokenAt }] of open)
        if (word.lift && word.kill === kill) open.set(word, { spokenAt, dueAt: now() + word.lift.afterMs })
    },
    idle: () => open.size === 0,
    spoken: () => spoken,
    close: () => clearInterval(timer),
  }
}

async function changedPath(barePath: string, pull: ReturnType<Forge['issue']> | undefined): Promise<string> {
  if (pull?.kind !== 'pull') throw new Error('a line is of a merge request')
  const changed = await git(barePath, 'diff', '--name-only', pull.diffBase, pull.headSha)
  return changed.split('\n')[0] ?? ''
}

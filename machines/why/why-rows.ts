/**
 * What `why` has of a Task beside its reason, in rows: the command line and the inspector's page show the same words. Pure:
 * what other actors and journals know is read before (`orchestrator/operators/why.ts`).
 */
import { Type, type Static } from 'typebox'
import type { Indexed } from '../memory/events.ts'
import type { CallRefusal, RefusedCalls } from '../turn/schema.ts'
import { costLine, grouped, type Cost } from './cost.ts'
import { forgePages } from './record.ts'
import type { Why } from './why.ts'

export interface RefusingTurn {
  /** Ordinal of the pod, and of the turn in it. */
  readonly pod: number
  readonly turn: number
  readonly calls: RefusedCalls
}

export interface HeldOf extends Indexed {
  readonly repository: string
}

/** What people get who ask why a Task rests. */
export interface WhyAnswer extends Why {
  /** Turns in which its wrappers refused calls of tools, oldest first. */
  readonly refusedCalls: readonly RefusingTurn[]
  /** What the memory holds of each of its Repositories; those that no step has looked at yet are left out. */
  readonly memory: readonly HeldOf[]
  /** What its turns have used so far; a turn that runs is not in it. Absent: an older server does not count. */
  readonly cost?: Cost
  /** What its pod names that keeps the turn from going on; absent: nothing, or the pod does not answer. */
  readonly hindrance?: { readonly sentence: string }
}

const WhyRow = Type.Object({
  name: Type.String(),
  text: Type.String(),
  /** Where a page leads instead of the text. */
  links: Type.Optional(Type.Array(Type.Object({ text: Type.String(), url: Type.String() }))),
})
export type WhyRow = Static<typeof WhyRow>

const Way = Type.Object({
  title: Type.String(),
  steps: Type.Array(Type.Object({ by: Type.String(), does: Type.String(), stage: Type.String() })),
})
type Way = Static<typeof Way>

/** What a page shows that has the reason, the timers and the last words elsewhere. `way` is null once it has ended. */
export const WhyShown = Type.Object({ rows: Type.Array(WhyRow), way: Type.Union([Way, Type.Null()]) })
export type WhyShown = Static<typeof WhyShown>

/** `isScripted`: its turns ask a scripted model, and what they cost by a list of prices nobody pays. */
export function shownWhy(why: WhyAnswer, isScripted: boolean): WhyShown {
  return { rows: [...mergedRows(why), ...belowRows(why), ...workRows(why, isScripted)], way: wayOf(why) }
}

export function mergedRows({ merged = [] }: Pick<Why, 'merged'>): WhyRow[] {
  return merged.map(({ name, url, commit }) => {
    const page = commit === undefined ? undefined : forgePages(url, commit)?.commit
    return {
      name: 'merged',
      text: [name, commit && `as ${commit.slice(0, 10)}`, url].filter(Boolean).join(' '),
      links: [
        { text: name, url },
        ...(page === undefined ? [] : [{ text: `commit ${commit?.slice(0, 10)}`, url: page }]),
      ].filter((link) => /^https?:\/\//.test(link.url)),
    }
  })
}

/** What its pod and the pod's turn wait for. */
export function belowRows({ below }: Pick<Why, 'below'>): WhyRow[] {
  return below.map((rest) => row(rest.reason.slice(0, rest.reason.indexOf('/')), `${rest.says}: ${rest.unblocks}`))
}

/** How often it was asked for and sent back, what it cost, what its memory holds, and which calls were refused. */
export function workRows(
  { firings, reviewRounds, cost, spending, memory, refusedCalls }: WhyAnswer,
  isScripted: boolean,
): WhyRow[] {
  const accounts = (spending ?? []).filter(({ limit }) => limit > 0)
  return [
    ...(firings === undefined ? [] : [row('alert', `fired ${grouped(firings)} times`)]),
    ...(reviewRounds === null ? [] : [row('rounds', `${reviewRounds} reviews requested changes`)]),
    ...(cost === undefined || cost.turns === 0 ? [] : [row('cost', costLine(cost, isScripted))]),
    ...accounts.map((account) => row('spent', accountText(account))),
    ...memory.map((held) => row('memory', heldText(held))),
    ...refusedTexts(refusedCalls).map((text) => row('refused', text)),
  ]
}

export function wayOf({ path, resting }: Pick<Why, 'path' | 'resting'>): Way | null {
  if (resting === null) return null
  if (path === null) return { title: 'No way to delivered is known from here.', steps: [] }
  return {
    title: `The shortest way to delivered, ${path.length} ${path.length === 1 ? 'event' : 'events'}:`,
    steps: path.map(({ by, does, stage }) => ({ by, does, stage })),
  }
}

function row(name: string, text: string): WhyRow {
  return { name, text }
}

function heldText({ repository, commit, due, trouble }: HeldOf): string {
  const holds = commit === '' ? 'holds no commit whole yet' : `holds commit ${commit.slice(0, 12)}`
  const lacks = due === 0 ? '' : `lacks ${grouped(due)} files, commits and issues`
  return `${repository}: ${[holds, lacks, trouble].filter(Boolean).join('; ')}`
}

function accountText({ name, limit, spent, reserved }: NonNullable<Why['spending']>[number]): string {
  const open = reserved > 0 ? `, ${grouped(reserved)} reserved` : ''
  return `${name}: ${grouped(spent)}${open} of ${grouped(limit)} tokens`
}

/** Of more the newest are listed; `why --json` has them all. */
const mostRefusals = 10

const refusedBecause: Readonly<Record<CallRefusal, string>> = {
  'no-turn': 'while no turn ran',
  'no-block': 'that the model did not make',
  'other-tool': 'under the id of a call of another tool',
  'other-arguments': 'with other arguments than the model gave',
  'too-deep': 'whose arguments nest too deep to compare',
}

function refusedTexts(turns: readonly RefusingTurn[]): readonly string[] {
  const all = turns.flatMap(({ pod, turn, calls }) =>
    calls.map(({ tool, reason, count }) => {
      const what = `${grouped(count)} ${count === 1 ? 'call' : 'calls'} of ${tool === '' ? 'other tools' : `\`${tool}\``}`
      return `turn ${turn} of pod ${pod}: the wrapper refused ${what} ${refusedBecause[reason]}`
    }),
  )
  const before = all.length - mostRefusals
  return before > 0 ? [`${before} more before these`, ...all.slice(-mostRefusals)] : all
}

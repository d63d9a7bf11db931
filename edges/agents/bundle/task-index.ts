import type { TaskContext } from '../../../machines/task/context.ts'
import { shownGoal } from '../../../machines/task/shown-goal.ts'
import { bareName } from '../../../crd/resource-id.ts'
import { attributes, escapeText } from './escape.ts'
import { boundless, fitsIn, minus, sizeOf, type Size } from './size.ts'

export type IndexScope = 'all' | 'brainstorm' | 'incident'

const maxEntries = 100
const maxGoalCharacters = 500

/** The compact project-wide index (INDEX-4, INDEX-8): newest first, at most 100, bodies cut at 500 characters. */
export function renderTaskIndex(
  tasks: readonly TaskContext[],
  project: string,
  scope: IndexScope,
  now: number,
  budget: Size = boundless,
): string {
  const inScope = tasks.filter((task) => scope === 'all' || task.kind === scope)
  const newest = inScope.toSorted((a, b) => startOf(b) - startOf(a)).slice(0, maxEntries)
  const write = (count: number, inner: string): string =>
    `<task_index${attributes({ project, count, scope })}>\n${inner}</task_index>\n`
  const entries = newest.map((task) => renderEntry(task, now))
  let left = minus(budget, sizeOf(write(entries.length, '')))
  const end = entries.findIndex((entry) => {
    const size = sizeOf(entry)
    if (!fitsIn(size, left)) return true
    left = minus(left, size)
    return false
  })
  const shown = end === -1 ? entries : entries.slice(0, end)
  return write(shown.length, shown.join(''))
}

function renderEntry(task: TaskContext, now: number): string {
  const head = { name: bareName(task.id), kind: task.kind, stage: task.stage.name, age: age(now - startOf(task)) }
  const list = (name: string, items: readonly { readonly repository: string; readonly number: number }[]): string =>
    items.length === 0
      ? ''
      : `<${name}>${escapeText(items.map(({ repository, number }) => `${repository}#${number}`).join(', '))}</${name}>\n`
  const body = firstOf(shownGoal(task))
  const title = body.split('\n')[0] ?? ''
  return `<task${attributes(head)}>\n<title>${escapeText(title)}</title>\n<body>${escapeText(body)}</body>\n${list('issues', task.forge.issues)}${list('mrs', task.forge.mergeRequests)}</task>\n`
}

/** As people count characters; of a goal of megabytes only the beginning is looked at. */
function firstOf(goal: string): string {
  return [...goal.slice(0, 2 * maxGoalCharacters)].slice(0, maxGoalCharacters).join('')
}

function startOf(task: TaskContext): number {
  return task.stage.history[0]?.at ?? task.stage.enteredAt
}

/** Coarse: minutes, hours or days (INDEX-7). */
function age(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000))
  if (minutes < 60) return `${minutes}m`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h` : `${Math.floor(minutes / (24 * 60))}d`
}

/** How a Task stands, for people on the forge: what `statewright why` says, as one comment. */
import { bareName } from '../../../crd/resource-id.ts'
import { inert } from '../../../machines/rules/executed-text.ts'
import type { MergedRequest, Why } from '../../../machines/why/why.ts'

/** Words of agents, people and forges: nothing in them is markup, a mention, a command or one of our marks. */
export function quoted(text: string, most = mostQuoted): string {
  // No line ends and no controls: a code span ends at a blank line.
  const line = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  const plain = inert(line.trim()).replaceAll('`', "'").replaceAll('<!--', '<! --').replaceAll('|', '¦')
  const letters = [...plain]
  return `\`${letters.length > most ? `${letters.slice(0, most).join('')}…` : plain}\``
}

const mostQuoted = 300
const mostWords = 501
const mostSteps = 12

export function standingText(why: Why): string {
  const { task, stage, resting } = why
  const name = bareName(task)
  return [
    `**Task** ${quoted(name)}: ${resting ? `${quoted(stage)}, ${resting.says}` : `ended, ${quoted(stage)}`}`,
    rowsOf(why)
      .map(([name, value]) => `- **${name}**: ${value}`)
      .join('\n'),
    ...wayOf(why),
    `<sub>The platform updates this comment. ${quoted(`statewright why ${name}`)} explains more.</sub>`,
  ].join('\n\n')
}

type Fact = readonly [name: string, value: string]

function rowsOf({
  resting,
  detail,
  lastTurn,
  below,
  queue,
  nextTimer,
  reviewRounds,
  merged = [],
}: Why): readonly Fact[] {
  const rows: readonly (Fact | undefined)[] = [
    resting ? ['reason', quoted(resting.reason)] : undefined,
    resting ? ['who can move it', `${resting.owner}: ${resting.unblocks}`] : undefined,
    detail === null || detail === '' ? undefined : ['detail', quoted(detail)],
    ...lastTurnRows(lastTurn),
    merged.length > 0 ? ['merged', merged.map(mergedText).join(', ')] : undefined,
    below.length > 0 ? ['its pod', below.map(({ says }) => says).join('; ')] : undefined,
    reviewRounds === null ? undefined : ['rounds', `${reviewRounds} reviews requested changes`],
    queue ? ['queue', `place ${queue.position}: ${queue.reason}`] : undefined,
    nextTimer ? ['next timer', `${quoted(nextTimer.name)}, ${minute(nextTimer.dueAt)}`] : undefined,
  ]
  const there = rows.filter((row): row is Fact => row !== undefined)
  return there.length > 0 ? there : [['reason', 'nothing is left to do']]
}

function mergedText({ name, url, commit }: MergedRequest): string {
  const parsedUrl = URL.parse(url)
  const linked = /^https?:$/.test(parsedUrl?.protocol ?? '') ? `[${quoted(name)}](<${parsedUrl?.href}>)` : quoted(name)
  return commit === undefined ? linked : `${linked} as ${quoted(commit.slice(0, 10))}`
}

/** The commonest question at a Task that came to nothing: what did the agent say, and what failed? */
function lastTurnRows(last: Why['lastTurn']): readonly Fact[] {
  if (last === undefined) return []
  const { words, tool, ended } = last
  return [
    ['the agent’s last words', words === '' ? 'none' : quoted(words, mostWords)],
    ...(tool ? [['its last tool', `${quoted(tool.name)}${tool.failed ? ', which failed' : ''}`] as const] : []),
    ...(ended ? [['its turn ended', quoted(ended)] as const] : []),
  ]
}

function wayOf({ resting, path }: Why): readonly string[] {
  if (resting === null || path === null || path.length === 0) return []
  // One more line says no less than "and 1 more".
  const shown = path.slice(0, path.length > mostSteps + 1 ? mostSteps : path.length)
  const steps = shown.map(({ by, does }, index) => `${index + 1}. ${by}: ${does}`)
  const more = path.length > shown.length ? ['', `and ${path.length - shown.length} more steps`] : []
  return [
    `<details><summary>The shortest way to delivered</summary>\n\n${[...steps, ...more].join('\n')}\n\n</details>`,
  ]
}

function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

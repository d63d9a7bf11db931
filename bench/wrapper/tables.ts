import { isMeasured } from '../kit/measure/goals.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import { goalTable, type Report } from '../kit/report.ts'
import { contenders, type ContenderName, type Results } from './results.ts'
import { answerKinds } from './script.ts'
import { beyondCli, bootBeyondCli, growthMiB, residentMiB, shareOf, turnsOf, type Span } from './summary.ts'

const titles: Readonly<Record<ContenderName, string>> = {
  own: 'the wrapper',
  screen: 'the stable screen',
  cli: 'the CLI by itself',
}

export function tablesOf(report: Report, results: Results): string {
  return [
    goalTable(report.goals.filter(isMeasured)),
    `### A turn\n\n${turnTable(results)}`,
    `### Exactness\n\n${exactTable(results)}`,
    `### Boot\n\n${bootTable(results)}`,
    memoryText(results),
    `Other programs took ${results.foreignCores.toFixed(2)} cores meanwhile.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function turnTable(results: Results): string {
  const heads = [
    'contender',
    'turns',
    'submit → model p50 ms',
    'p99',
    'beyond the CLI p50',
    'p99',
    'answer → told p50 ms',
    'p99',
    'beyond the CLI p50',
    'p99',
  ]
  const lines = contenders.flatMap((contender) =>
    [false, true].flatMap((isPushed) => {
      const turns = turnsOf(results, contender, isPushed)
      if (turns.length === 0) return []
      const title = `${titles[contender]}${isPushed ? ', with a commit and a push' : ''}`
      const span = (name: Span): string[] => [
        ...both(turns.map((turn) => turn[name])),
        ...(contender === 'cli' ? ['–', '–'] : both(beyondCli(results, contender, name, isPushed))),
      ]
      return [[title, String(turns.length), ...span('askedMs'), ...span('toldMs')]]
    }),
  )
  return markdownTable(heads, lines)
}

function both(values: readonly number[]): string[] {
  return [numberText(percentile(values, 0.5)), numberText(percentile(values, 0.99))]
}

function exactTable(results: Results): string {
  const heads = ['contender', 'messages heard exactly', ...answerKinds.map((kind) => `${kind} reported`)]
  const lines = (['own', 'screen'] as const).flatMap((contender) => {
    const turns = turnsOf(results, contender)
    if (turns.length === 0) return []
    const reported = answerKinds.map((kind) =>
      shareOf(
        turns.filter(({ answer }) => answer === kind),
        'isReportedExactly',
      ),
    )
    return [[titles[contender], ...[shareOf(turns, 'isHeardExactly'), ...reported].map(percent)]]
  })
  return markdownTable(heads, lines)
}

function percent(share: number | undefined): string {
  return share === undefined ? '–' : `${share.toFixed(0)} %`
}

function bootTable(results: Results): string {
  const lines = contenders.flatMap((contender) => {
    const boots = results.boots.filter((boot) => boot.contender === contender).map(({ readyMs }) => readyMs)
    const beyond = contender === 'cli' ? undefined : median(bootBeyondCli(results, contender))
    if (boots.length === 0) return []
    return [[titles[contender], ...[median(boots), percentile(boots, 1), beyond].map(numberText)]]
  })
  return markdownTable(['contender', 'median ms', 'longest', 'beyond the CLI'], lines)
}

function memoryText(results: Results): string {
  if (results.memory.length === 0) return ''
  const cli = median(results.memory.map(({ cliMiB }) => cliMiB))
  return `Memory: the wrapper's process held at most ${numberText(residentMiB(results))} MiB after a round, ${numberText(growthMiB(results))} MiB more than after its first turn; the CLI beside it ${numberText(cli)} MiB.`
}

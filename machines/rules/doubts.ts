/**
 * A line of a comment that perhaps stops (WORDS-7, decisions/0033): it holds a withdrawing command or phrase among other
 * words. It grants nothing and takes no grant away. It holds the merge until a maintainer says which he meant.
 */
import { judgeLine } from './approval-grammar.ts'
import { commandOf, stoppingCommands } from './commands.ts'
import { linesOf } from './comment-text.ts'

/** With the forms in which people write the listed phrases among words. Letters around it make it another word. */
const stoppingWords = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?<![\\p{L}\\p{N}]-)(?:${[
    'stop',
    'hold(?: [\\p{L}]+){0,2} off',
    'holding off',
    "(?:do ?n[o']?t|do not|dont)(?: [\\p{L}]+){0,2} implement",
    'revok(?:e|ing)',
    'withdraw(?:ing)?',
    'un-?approve',
  ].join('|')})(?![\\p{L}\\p{N}_]|-\\p{L})`,
  'iu',
)
const stoppingCommand = new RegExp(
  `(?<![\\p{L}\\p{N}_/~-])/(?:${stoppingCommands.join('|')})(?![\\p{L}\\p{N}_/]|-\\p{L})`,
  'iu',
)
/** `@bot hold`: the slash is missing. */
const bareCommand = new RegExp(
  `^(?:@\\S{1,60} )?(?:please )?(?:${stoppingCommands.join('|')})[ .!,]*(?:please)?[.!]*$`,
  'iu',
)

/** The first such line, as it is to be quoted; undefined where nothing is in doubt. */
export function doubtIn(body: string): string | undefined {
  const { said, doubtful, hidden, folded } = linesOf(body)
  const shown = [...said, ...doubtful, ...hidden.filter((line) => !line.startsWith('>'))]
  const line = shown.find(isDoubt) ?? folded.find(withdraws)
  return line === undefined ? undefined : excerpt(line)
}

function isDoubt(line: string): boolean {
  return placeOf(line) >= 0 && !withdraws(line)
}

/** By itself: it needs no question. */
function withdraws(line: string): boolean {
  const command = commandOf(line)?.name
  return (command !== undefined && stoppingCommands.includes(command)) || judgeLine(line) === 'withdraws'
}

function placeOf(line: string): number {
  const plain = line.replaceAll('\u2019', "'")
  const [command, words] = [plain.search(stoppingCommand), plain.search(stoppingWords)]
  if (command >= 0) return command
  return words >= 0 || line.length > longestQuote ? words : plain.search(bareCommand)
}

const longestQuote = 200
const before = 60

function excerpt(line: string): string {
  if (line.length <= longestQuote) return line
  const from = Math.max(0, placeOf(line) - before)
  const end = from + longestQuote
  return `${from > 0 ? '…' : ''}${line.slice(from, end).trim()}${end < line.length ? '…' : ''}`
}

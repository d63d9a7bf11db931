/**
 * The one way from this program to a person's terminal. A terminal obeys control characters, and much of what is shown
 * strangers wrote: people on a forge, agents, servers, providers. What a command makes of lines stays as it is.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { visible } from '../../http/operational/visible.ts'

/** A text is one line: only a list has more, so that nobody's text becomes a line of ours. */
type Lines = string | readonly string[]

export function print(lines: Lines): void {
  console.log(shown(lines))
}

/** The first line stands out on a terminal; in a file, and where NO_COLOR is set, it is as the others. */
export function printTitled([title = '', ...lines]: readonly string[]): void {
  console.log([styleText('bold', visible(title), { stream: process.stdout }), ...lines.map(visible)].join('\n'))
}

/** To standard error: errors, and what is said beside the result. */
export function printError(lines: Lines): void {
  console.error(shown(lines))
}

/** Of as many as fill a pipe: waits while its reader is slow. */
export async function printEach(lines: Iterable<string>): Promise<void> {
  for (const line of lines) if (!process.stdout.write(`${visible(line)}\n`)) await once(process.stdout, 'drain')
}

/** Of an error: what stands below its first line is indented, so that a server's text in it is no line of ours. */
export function errorLines(message: string): readonly string[] {
  const [first = '', ...below] = message.split('\n')
  return [first, ...below.map((line) => (line.startsWith('  ') ? line : `  ${line}`))]
}

/** Of a person at a terminal: the line that he writes. */
export async function asked(question: string, until?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // The terminal hands Ctrl-C to whoever asks, and no answer is no interrupt.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const ended = once(terminal, 'close').then(() => '')
  const moot = until && once(until, 'abort').then(() => '')
  try {
    const answer = terminal.question(`${visible(question)} `)
    return await Promise.race([answer, ended, ...(moot ? [moot] : [])])
  } finally {
    terminal.close()
  }
}

/** Only y and yes are one. */
export async function confirmed(question: string, until?: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await asked(`${question} [y/N]`, until)).trim())
}

/** A terminal may say that it has none. */
const usualColumns = 80

/** Over the line that it drew before; on anything but a terminal nothing, because logs are not read that way. */
export function redraw(line: string): void {
  const { stderr } = process
  if (stderr.isTTY) stderr.write(`\r\u001B[K${visible(line).slice(0, (stderr.columns || usualColumns) - 1)}`)
}

/** A terminal that is gone, or a file on a full disk, takes our words no more; what runs goes on. */
export function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

function shown(lines: Lines): string {
  return [lines].flat().map(visible).join('\n')
}

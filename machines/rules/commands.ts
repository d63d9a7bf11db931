import { linesOf } from './comment-text.ts'

/** Slash commands people give in comments (PEOPLE-6, OWNERSHIP-10, GIT-4, LEDGER-3). */
const commandNames = [
  'approve',
  'unapprove',
  'hold',
  'cancel',
  'retry',
  'takeover',
  'allow-ci-changes',
  'budget',
] as const
export type CommandName = (typeof commandNames)[number]

/** They only stop work, so they are heard where it is in doubt whether they were said (decisions/0022). */
export const stoppingCommands: readonly CommandName[] = ['unapprove', 'hold', 'cancel']

interface Command {
  readonly name: CommandName
  readonly argument: string
}

/** One command a line, at its start; `/approve?` asks, it does not command. */
export function commandOf(line: string): Command | undefined {
  const match = /^\/([a-z][a-z-]*)(?:[.!,:]*(?:\s+(.*))?)$/i.exec(line)
  const name = commandNames.find((known) => known === match?.[1]?.toLowerCase())
  return name && { name, argument: (match?.[2] ?? '').trim() }
}

export function commandsIn(text: string): readonly Command[] {
  const { said, doubtful, hidden } = linesOf(text)
  const inDoubt = commandsOf([...doubtful, ...hidden]).filter(({ name }) => stoppingCommands.includes(name))
  return [...commandsOf(said), ...inDoubt]
}

function commandsOf(lines: readonly string[]): readonly Command[] {
  return lines.flatMap((line) => commandOf(line) ?? [])
}

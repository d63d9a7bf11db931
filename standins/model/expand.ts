/**
 * A step as the tool calls it takes. Calls are asked for one at a time, since the next may depend on the last answer:
 * the CLI edits and overwrites only what it has read, and a step played again must do no harm.
 */
import { isAbsolute, join } from 'node:path'
import type { BashStep, CallStep, CommitStep, EditStep, WriteStep } from '../scenarios/format.ts'
import type { Facts } from './facts.ts'
import { fill } from './template.ts'

export interface Call {
  readonly tool: string
  readonly input: Record<string, unknown>
  /** An error of this call is no failure of the step: what it asks may rightly not be there. */
  readonly tolerant?: boolean
}

export interface Answered {
  readonly text: string
  readonly error: boolean
}

/** The call number `part` of the step, undefined when the step is done. `answers` are those of its earlier parts. */
export function nextCall(step: CallStep, part: number, answers: readonly Answered[], facts: Facts): Call | undefined {
  if ('write' in step) return writeCall(step, part, facts)
  if ('edit' in step) return editCall(step, part, answers, facts)
  if (part > 0) return undefined
  if ('tool' in step) return { tool: step.tool, input: fill(step.args ?? {}, facts) }
  if ('read' in step) return { tool: 'Read', input: { file_path: pathOf(step.read, facts) } }
  return 'commit' in step ? commitCall(step, facts) : bashCall(step, facts)
}

function bashCall(step: BashStep, facts: Facts): Call {
  const folder = step.in === undefined ? facts.checkout : pathOf(step.in, facts)
  const timeout = step.timeoutSeconds === undefined ? {} : { timeout: step.timeoutSeconds * 1000 }
  return bash(`${enter(folder)}${String(fill(step.bash, facts))}`, timeout)
}

/** Everything is committed; with nothing to commit the step succeeds, for it may be played again. */
function commitCall(step: CommitStep, facts: Facts): Call {
  const message = quote(String(fill(step.commit, facts)))
  return bash(
    `${enter(facts.checkout)}git add --all && { git diff --cached --quiet || git commit --quiet --message ${message}; } && git rev-parse HEAD`,
  )
}

function bash(command: string, more: Record<string, unknown> = {}): Call {
  return { tool: 'Bash', input: { command, ...more } }
}

function enter(folder: string): string {
  return folder === '' ? '' : `cd ${quote(folder)} || exit 1\n`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function writeCall(step: WriteStep, part: number, facts: Facts): Call | undefined {
  const file_path = pathOf(step.write.path, facts)
  if (part === 0) return { tool: 'Read', input: { file_path }, tolerant: true }
  return part === 1
    ? { tool: 'Write', input: { file_path, content: String(fill(step.write.content, facts)) } }
    : undefined
}

function editCall(step: EditStep, part: number, answers: readonly Answered[], facts: Facts): Call | undefined {
  const file_path = pathOf(step.edit.path, facts)
  if (part === 0) return { tool: 'Read', input: { file_path } }
  const old_string = String(fill(step.edit.old, facts))
  const new_string = String(fill(step.edit.new, facts))
  if (part > 1 || isApplied(withoutLineNumbers(answers[0]?.text ?? ''), old_string, new_string)) return undefined
  return { tool: 'Edit', input: { file_path, old_string, new_string, replace_all: false } }
}

function isApplied(content: string, before: string, after: string): boolean {
  return (
    after.trim() !== '' && content.includes(after.trimEnd()) && (!content.includes(before) || after.includes(before))
  )
}

/** Read answers with numbered lines, `12\ttext` (or an arrow for the tab in other versions). */
function withoutLineNumbers(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^ *\d+[\t→]/, ''))
    .join('\n')
}

function pathOf(path: string, facts: Facts): string {
  const filled = String(fill(path, facts))
  return isAbsolute(filled) ? filled : join(facts.checkout, filled)
}

/** What tools answered, under the names that steps gave with `as`. */
import type { Entry, Step } from '../scenarios/format.ts'
import { slug } from '../scenarios/check.ts'
import { readCallId } from './call-id.ts'
import type { PlayedCall, Turn } from './conversation.ts'

export interface Result {
  readonly text: string
  readonly error: boolean
  readonly [member: string]: unknown
}

/** Members of a JSON object that a tool answered stand beside `text` and `error`. A failed call gives no members. */
function readResult(answer: { readonly text: string; readonly error: boolean }): Result {
  const text = withoutReminders(answer.text).trim()
  const json = answer.error ? undefined : readJson(text)
  return { ...(isObject(json) ? json : { json }), text, error: answer.error }
}

/** Later turns see the results of earlier ones: they are in the conversation. */
export function namedResults(turns: readonly Turn[], entries: readonly Entry[]): Readonly<Record<string, Result>> {
  const named: Record<string, Result> = {}
  for (const call of turns.flatMap((turn) => turn.calls)) {
    const name = nameOf(call, entries)
    if (name !== undefined && call.answer !== undefined) named[name] = readResult(call.answer)
  }
  return named
}

/** A pod that did not write the plan itself finds it under the name that the writing step gave it, with its id. */
export function plansByName(entries: readonly Entry[], planId: string | undefined): Readonly<Record<string, Result>> {
  if (planId === undefined) return {}
  const steps = entries.flatMap((entry) => entry.steps).filter(isPlanNote)
  const names = steps.flatMap((step) => ('as' in step && step.as !== undefined ? [step.as] : []))
  return Object.fromEntries(names.map((name) => [name, { id: planId, text: '', error: false }]))
}

/** The id that the newest `task_note` of kind `plan` in this conversation was answered with. */
export function planIdOf(turns: readonly Turn[], entries: readonly Entry[]): string | undefined {
  const notes = turns.flatMap((turn) => turn.calls).filter((call) => isPlanNote(stepOf(call, entries)))
  const ids = notes.map((call) => (call.answer === undefined ? undefined : readResult(call.answer)['id']))
  return ids.findLast((id) => typeof id === 'string')
}

function isPlanNote(step: Step | undefined): boolean {
  return step !== undefined && 'tool' in step && step.tool === 'task_note' && step.args?.['kind'] === 'plan'
}

function nameOf(call: PlayedCall, entries: readonly Entry[]): string | undefined {
  const step = stepOf(call, entries)
  return step !== undefined && 'as' in step ? step.as : undefined
}

function stepOf(call: PlayedCall, entries: readonly Entry[]): Step | undefined {
  const place = readCallId(call.id)
  return entries.find((one) => slug(one.name) === place?.entry)?.steps[place?.step ?? -1]
}

/** The CLI may append its own reminders to a tool's answer. */
function withoutReminders(text: string): string {
  return text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
}

function readJson(text: string): unknown {
  const start = text.search(/[{[]/)
  for (const candidate of [text, start > 0 ? text.slice(start) : '']) {
    try {
      return JSON.parse(candidate) as unknown
    } catch {
      continue
    }
  }
  return undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

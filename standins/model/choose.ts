/**
 * Which entry plays a turn. With conditions: the first that holds. Without any: in order, and how far the order has
 * come is read from the facts (a new pod has no memory) and from what this conversation has already finished.
 */
import type { Entry, Step, ToolStep } from '../scenarios/format.ts'
import { slug } from '../scenarios/check.ts'
import { holds } from './condition.ts'
import { readCallId } from './call-id.ts'
import type { Conversation, Turn } from './conversation.ts'
import { factsAt, type Facts } from './facts.ts'
import { failurePrefix } from './progress.ts'
import { fixedParts } from './template.ts'

export type Choice = { readonly entry: Entry } | { readonly wait: string }

function isOrdered(entries: readonly Entry[]): boolean {
  return entries.length > 1 && entries.every((entry) => entry.when === undefined)
}

/** What every scripted agent does when its pod's time is up, unless an entry asks for the fact `handoff`. */
const handoffEntry: Entry = {
  name: 'built-in-handoff',
  steps: [
    {
      tool: 'task_note',
      args: {
        kind: 'handoff',
        body: 'Stage {{stage}}. What is done is in the commits, the notes and the comments; the next pod goes on from there.',
      },
    },
    { say: 'I wrote the hand-off note.' },
  ],
}

/** A turn that has begun keeps its entry, whatever the facts have become. */
export function chooseEntry(conversation: Conversation, index: number, entries: readonly Entry[]): Choice {
  const begun = begunEntry(conversation.turns[index], entries)
  if (begun !== undefined) return { entry: begun }
  const facts = factsAt(conversation, index, entries)
  if (facts.handoff)
    return {
      entry: entries.find((one) => one.when?.['handoff'] !== undefined && holds(one.when, facts)) ?? handoffEntry,
    }
  if (isOrdered(entries)) return nextInOrder(conversation, index, entries, facts)
  const entry = entries.find((one) => holds(one.when, facts))
  return entry === undefined
    ? { wait: `no entry of the scenario for ${facts.agent} holds at stage ${facts.stage}` }
    : { entry }
}

function begunEntry(turn: Turn | undefined, entries: readonly Entry[]): Entry | undefined {
  const names = (turn?.calls ?? []).map((call) => readCallId(call.id)?.entry)
  return [...entries, handoffEntry].find((entry) => names.includes(slug(entry.name)))
}

function nextInOrder(conversation: Conversation, index: number, entries: readonly Entry[], facts: Facts): Choice {
  const finished = finishedIn(conversation, index, entries)
  const last = entries.findLastIndex((entry, at) => finished.has(entry) || isDone(entries, at, facts))
  const entry = entries[Math.min(last + 1, entries.length - 1)] as Entry
  if (outcomesOf(entry, 'approved').length > 0 && facts.approval === undefined)
    return { wait: 'a maintainer has not approved yet' }
  return { entry }
}

/** Entries that an earlier turn of this conversation played to its end without a failure. */
function finishedIn(conversation: Conversation, index: number, entries: readonly Entry[]): ReadonlySet<Entry> {
  const finished = new Set<Entry>()
  conversation.turns.slice(0, index).forEach((turn, at) => {
    if (turn.ending === undefined || turn.ending.startsWith(failurePrefix)) return
    const choice = chooseEntry(conversation, at, entries)
    if ('entry' in choice) finished.add(choice.entry)
  })
  return finished
}

/** What the forge and the Task show when an entry has done its work; an entry that leaves no trace is never done by itself. */
function isDone(entries: readonly Entry[], at: number, facts: Facts): boolean {
  const entry = entries[at] as Entry
  const nth = (action: string): number =>
    entries.slice(0, at + 1).filter((one) => outcomesOf(one, action).length > 0).length
  if (outcomesOf(entry, 'approved').length > 0) return facts.granted || facts.mr !== 'none'
  if (outcomesOf(entry, 'submitted').length > 0) return facts.mr !== 'none' && facts.changeRequests >= nth('submitted')
  if (outcomesOf(entry, 'request_changes').length > 0) return facts.changeRequests >= nth('request_changes')
  const comments = entry.steps.filter(isIssueComment)
  return comments.length > 0 && comments.every((step) => isPosted(step, facts))
}

function outcomesOf(entry: Entry, action: string): readonly Step[] {
  return entry.steps.filter(
    (step) =>
      'tool' in step &&
      step.tool === 'submit_outcome' &&
      (step.args?.['action'] === action || step.args?.['verdict'] === action),
  )
}

function isIssueComment(step: Step): step is ToolStep {
  return 'tool' in step && step.tool === 'issue_write' && step.args?.['action'] === 'comment'
}

function isPosted(step: ToolStep, facts: Facts): boolean {
  const parts = fixedParts(String(step.args?.['body'] ?? step.args?.['comment'] ?? '')).map(plain)
  return (
    facts.issue?.comments.some((comment) => comment.bot && parts.every((part) => plain(comment.body).includes(part))) ??
    false
  )
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** One request of the CLI answered from the scenario: a pure function, so that a restart or a new pod changes nothing. */
import type { AgentKind, Entry, FaultStep, Scenario } from '../scenarios/format.ts'
import { callId } from './call-id.ts'
import { chooseEntry } from './choose.ts'
import { readConversation, type Conversation, type Turn } from './conversation.ts'
import { factsAt, type Facts } from './facts.ts'
import type { Answer, MessagesRequest } from './messages.ts'
import { failurePrefix, nextOf, type Next } from './progress.ts'

/** What was decided, beside the answer itself: the log line and `turns()` are made of it. */
export interface Played {
  readonly task: string
  readonly agent: string
  readonly turnToken: string
  readonly entry: string
  readonly step?: number
  readonly tool?: string
  readonly failure?: string
}

export type Move =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly played?: Played }
  | { readonly kind: 'fault'; readonly fault: FaultStep; readonly key: string; readonly played: Played }

export type TimesPlayed = (key: string) => number

export function play(request: MessagesRequest, scenario: Scenario, timesPlayed: TimesPlayed): Move {
  const conversation = readConversation(request)
  const index = conversation.turns.length - 1
  const turn = conversation.turns[index]
  if (turn === undefined || !hasAgentTools(conversation)) return { kind: 'answer', answer: endWith('OK.') }
  const { agent } = factsAt(conversation, index, [])
  const entries = scenario.agents[agent as AgentKind]
  const unplayed = { task: '', agent, turnToken: turn.token, entry: '' }
  if (entries === undefined)
    return failed(unplayed, `scenario ${scenario.name} says nothing about the agent kind "${agent}"`)
  const facts = factsAt(conversation, index, entries)
  const choice = chooseEntry(conversation, index, entries)
  if ('wait' in choice)
    return {
      kind: 'answer',
      answer: endWith(`Nothing to do: ${choice.wait}.`),
      played: { ...unplayed, task: facts.task },
    }
  return playEntry({ conversation, turn, facts, entry: choice.entry }, timesPlayed)
}

interface Scene {
  readonly conversation: Conversation
  readonly turn: Turn
  readonly facts: Facts
  readonly entry: Entry
}

function playEntry(scene: Scene, timesPlayed: TimesPlayed): Move {
  const { turn, facts, entry } = scene
  const played = { task: facts.task, agent: facts.agent, turnToken: turn.token, entry: entry.name }
  const keyOf = (step: number): string => `${turn.token}/${entry.name}/${step}`
  const next = nextOf(entry, turn, facts, (step, fault) => timesPlayed(keyOf(step)) >= (fault.times ?? 1))
  switch (next.do) {
    case 'fault':
      return { kind: 'fault', fault: next.fault, key: keyOf(next.step), played: { ...played, step: next.step } }
    case 'fail':
      return { kind: 'answer', answer: endWith(next.say), played: { ...played, failure: next.say } }
    case 'end':
      return { kind: 'answer', answer: endWith(next.say), played }
    case 'call':
      return call(scene, next, played)
  }
}

function call(scene: Scene, next: Extract<Next, { do: 'call' }>, played: Played): Move {
  const name = resolveTool(next.call.tool, scene.conversation.tools)
  if (name === undefined)
    return failed(
      played,
      `the tool ${next.call.tool} is not offered to this agent; offered: ${scene.conversation.tools.join(', ')}`,
    )
  const id = callId(next.place, scene.turn.token)
  return {
    kind: 'answer',
    answer: { text: next.say, call: { id, name, input: next.call.input }, stopReason: 'tool_use' },
    played: { ...played, step: next.place.step, tool: name },
  }
}

function failed(played: Played, reason: string): Move {
  return { kind: 'answer', answer: endWith(`${failurePrefix}${reason}`), played: { ...played, failure: reason } }
}

function endWith(text: string): Answer {
  return { text, stopReason: 'end_turn' }
}

/** Side requests of the CLI (titles, summaries, classifiers) offer none of these. */
function hasAgentTools(conversation: Conversation): boolean {
  return conversation.tools.some((tool) => tool === 'Bash' || tool.startsWith('mcp__'))
}

/** A scenario says `task_note`; the CLI names it `mcp__<server>__task_note`. The platform's own server goes first. */
function resolveTool(tool: string, offered: readonly string[]): string | undefined {
  return (
    [tool, `mcp__platform__${tool}`].find((name) => offered.includes(name)) ??
    offered.find((name) => name.endsWith(`__${tool}`))
  )
}

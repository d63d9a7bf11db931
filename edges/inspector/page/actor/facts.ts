import { h, type ComponentChildren, type ComponentChild } from 'preact'
import type { ActorAnswer, EffectRow, HistoryRow, StandingRow, TimerRow } from '../../readings/answers.ts'
import type { ChartState } from '../../charts/chart.ts'
import { count, span } from '../format.ts'
import { inlineCode } from '../inline-code.ts'
import { moment } from '../moment.ts'

interface FactsProps {
  readonly actor: ActorAnswer
  /** The step that is looked at, when it is not the newest. */
  readonly step: HistoryRow | undefined
  /** The active ones of that step: of then only the place is known. */
  readonly states: readonly ChartState[]
  /** The table of what is selected in the chart. */
  readonly selected: ComponentChild
  readonly now: number
  onLive(): void
}

export function Facts({ actor, step, states, selected, now, onLive }: FactsProps): ComponentChild {
  return h('section', { class: 'facts', 'aria-label': 'Facts' }, [
    step === undefined
      ? null
      : h('p', { class: 'then' }, [
          `As it was after step ${step.seq}. `,
          h('button', { onClick: onLive }, 'Back to now'),
        ]),
    actor.fault === undefined ? null : h('p', { class: 'fault', role: 'alert' }, `Quarantined: ${actor.fault}`),
    step !== undefined || actor.hindrance === undefined
      ? null
      : h('p', { class: 'fault', role: 'alert' }, sentence(actor.hindrance)),
    selected,
    step === undefined ? standingCard(actor) : states.map((state) => stateCard(state)),
    step !== undefined || actor.lastTurn === undefined ? null : lastTurnCard(actor.lastTurn),
    step === undefined ? [timersOf(actor.timers, now), effectsOf(actor.effects, now)] : stepOf(step),
    step === undefined ? jsonOf('Context', actor.context, true) : null,
  ])
}

function lastTurnCard({ words, tool, ended }: NonNullable<ActorAnswer['lastTurn']>): ComponentChild {
  const facts = [
    tool === undefined ? '' : `last tool ${tool.name}${tool.failed ? ', which failed' : ''}`,
    ended === undefined ? '' : `the turn ended: ${ended}`,
  ].filter(Boolean)
  return h('div', { class: 'card' }, [
    h('h3', null, 'What the agent did last'),
    h('pre', null, words === '' ? '(it said nothing)' : words),
    facts.length === 0 ? null : h('p', { class: 'unblocks' }, facts.join('; ')),
  ])
}

/** Sign and word: no colour says it alone. */
export function standingWords({ sign, word }: StandingRow): ComponentChild {
  return [h('span', { 'aria-hidden': 'true' }, sign), ` ${word}`]
}

/** A page of the forge, which learns nothing of this one. */
export function toForge(url: string, text: ComponentChildren): ComponentChild {
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, text)
}

function standingCard({ standing, path, links }: ActorAnswer): ComponentChild {
  const { tone, owner, reason, next } = standing
  return h('div', { class: `card standing ${tone}` }, [
    h('h3', null, [
      h('span', { class: 'words' }, standingWords(standing)),
      owner === undefined ? null : h('span', { class: 'owner' }, owner),
    ]),
    reason === undefined ? null : h('p', null, sentence(reason)),
    next === undefined ? null : movesOn(next),
    links.length === 0
      ? null
      : h(
          'p',
          { class: 'links' },
          links.map(({ text, url }) => toForge(url, text)),
        ),
    h('small', null, path),
  ])
}

export function movesOn(next: string): ComponentChild {
  return h('p', { class: 'unblocks' }, [h('span', null, 'Moves on: '), inlineCode(next)])
}

function stateCard({ id, owner, reason, unblocks }: ChartState): ComponentChild {
  return h('div', { class: 'card', key: id }, [
    h('h3', null, [id, owner === undefined ? null : h('span', { class: 'owner' }, owner)]),
    reason === undefined ? null : h('p', null, sentence(reason)),
    unblocks === undefined ? null : movesOn(unblocks),
  ])
}

export function sentence(text: string): ComponentChildren {
  return inlineCode(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`)
}

function timersOf(timers: readonly TimerRow[], now: number): ComponentChild {
  if (timers.length === 0) return null
  return section(`${count(timers.length, 'timer')}`, [
    h(
      'ul',
      { class: 'plain' },
      timers.map(({ name, state, dueAt }) =>
        h('li', null, [
          h('b', null, name),
          ' ',
          moment(dueAt, dueAt > now ? `in ${span(dueAt - now)}` : 'due'),
          state === undefined ? null : h('small', null, ` ${state}`),
        ]),
      ),
    ),
  ])
}

export function effectsOf(effects: readonly EffectRow[], now: number): ComponentChild {
  if (effects.length === 0) return null
  return section(`${count(effects.length, 'effect')} not settled`, [
    effects.map((effect) =>
      h('details', { class: `effect ${effect.state}`, key: effect.key }, [
        h('summary', null, [
          h('b', null, effect.type),
          ' ',
          h('span', { class: 'badge' }, effect.state),
          attempts(effect, now),
        ]),
        effect.lastError === undefined ? null : h('p', { class: 'error' }, effect.lastError),
        h('pre', null, pretty({ key: effect.key, params: effect.params })),
      ]),
    ),
  ])
}

function attempts({ attempts: tried, notBefore, state }: EffectRow, now: number): ComponentChild {
  const isAgain = state === 'pending' && notBefore > now
  return [
    tried === 0 ? '' : ` ${count(tried, 'attempt')}`,
    isAgain ? [', again ', moment(notBefore, `in ${span(notBefore - now)}`)] : null,
  ]
}

function stepOf(step: HistoryRow): ComponentChild[] {
  return [
    ...(step.fault === undefined ? [] : [h('p', { class: 'fault' }, `The step failed: ${step.fault}`)]),
    section(`${step.type}`, [
      step.handled ? null : h('p', { class: 'empty' }, 'No active state took it.'),
      h('p', null, h('small', null, `key ${step.key}`)),
      h('pre', null, pretty(step.event)),
    ]),
    ...step.effects.map((effect, index) =>
      h('details', { class: 'effect', key: index }, [
        h('summary', null, h('b', null, effect.type)),
        h('pre', null, pretty(effect.params)),
      ]),
    ),
  ]
}

function jsonOf(title: string, value: unknown, isOpen: boolean): ComponentChild {
  return h('details', { class: 'json', open: isOpen }, [h('summary', null, title), h('pre', null, pretty(value))])
}

function section(title: string, content: ComponentChildren): ComponentChild {
  return h('div', { class: 'part' }, [h('h3', null, title), content])
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

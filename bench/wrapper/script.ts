/** The model of all contenders: one answer for each kind, and the instant at which each turn's request was there. */
import type { ModelRequest, Move } from '../../wrapper/selftest/model.ts'
import type { AnswerKind } from './results.ts'

export const answerKinds: readonly AnswerKind[] = ['line', 'paragraph', 'list']

/** No line of it comes twice: on a screen a known line is no news. */
export function answerOf(kind: AnswerKind, nth: number): string {
  if (kind === 'line') return `It is done, and the tests of turn ${nth} pass.`
  if (kind === 'list')
    return Array.from({ length: 90 }, (_, index) => `- item ${index} of what was looked at in turn ${nth}`).join('\n')
  const sentence = (index: number): string => `Sentence ${index} says in some words what turn ${nth} changed and why.`
  return Array.from({ length: 24 }, (_, index) => sentence(index)).join(' ')
}

/** What a turn submits. Every third is of the size of a context bundle. */
export interface Prompt {
  readonly marker: string
  readonly text: string
  readonly kind: AnswerKind
  readonly answer: string
}

export function promptOf(nth: number): Prompt {
  const marker = `bench-${nth}.`
  const lines = nth % 3 === 2 ? 400 : 3
  const filler = Array.from({ length: lines }, (_, index) => `line ${index} of what the message has to say`)
  const kind = answerKinds[nth % answerKinds.length]!
  return { marker, text: [marker, ...filler].join('\n'), kind, answer: answerOf(kind, nth) }
}

interface Asked {
  readonly at: number
  readonly isExact: boolean
}

export interface Script {
  readonly decide: (request: ModelRequest) => Move
  /** Resolves when the model has this prompt's request. Called before it is submitted. */
  expect(prompt: Prompt): Promise<Asked>
}

export function createScript(): Script {
  let expected: { readonly prompt: Prompt; readonly resolve: (asked: Asked) => void } | undefined
  return {
    expect: (prompt) => new Promise((resolve) => (expected = { prompt, resolve })),
    decide(request) {
      const at = performance.now()
      const newest = JSON.stringify(request.body.messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '')
      if (!expected || !newest.includes(expected.prompt.marker)) return { kind: 'say', text: 'nobody asked' }
      const { prompt, resolve } = expected
      resolve({ at, isExact: newest.includes(JSON.stringify(prompt.text).slice(1, -1)) })
      return { kind: 'say', text: prompt.answer }
    },
  }
}

/** Line breaks and indents of a screen are forgiven, words are not. */
export function isSameText(reported: string, answer: string): boolean {
  return inOneLine(reported) === inOneLine(answer)
}

function inOneLine(text: string): string {
  return text.replaceAll(/[\s●•-]+/g, ' ').trim()
}

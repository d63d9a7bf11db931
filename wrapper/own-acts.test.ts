import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TurnComplete } from '../machines/turn/schema.ts'
import { isAllowed } from './broker/allowed-calls.ts'
import { agentsVoice, ownActs } from './testing/own-acts.ts'

const root = import.meta.dirname
const sources = globSync('**/*.{ts,mjs}', { cwd: root }).filter(
  (path) => !/\.test\.ts$|^testing\/|^selftest\//.test(path),
)
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Asks by HTTP, or hands the transport to a part of the kit that asks. */
const speaks = /\bfetch\(|\b(?:discoverIssuer|oidcVerifier|openSpanExporter)\(/
/** A member, a path or a word by which a Task is decided. */
const decides = /\bverdict['":]|\/outcome\b|['"]outcome['"]|\bapprov|reviewed_shas/

describe('what the wrapper does by itself', () => {
  test('is what the list says: no other file of it speaks to the outside', () => {
    const speaking = sources.filter((path) => speaks.test(textOf(path)))
    expect(speaking.toSorted()).toEqual(
      [agentsVoice, ...ownActs.filter(({ by }) => by === 'http').map(({ file }) => file)].toSorted(),
    )
  })

  test.each(ownActs.map(({ what, file }) => [what, file] as const))(
    '%s, and names nothing that decides',
    (_what, file) => {
      expect(textOf(file)).not.toMatch(decides)
    },
  )

  test('tells of a turn’s end what happened, in a form that has no room for a decision', () => {
    expect(TurnComplete).toMatchObject({ additionalProperties: false })
    expect(
      Object.keys(TurnComplete.properties).filter((name) => /verdict|outcome|approv|payload|kind/.test(name)),
    ).toEqual([])
  })

  test('reaches none of the calls that are an agent’s: the callback’s path is not among them', () => {
    const caller = { profile: 'review', task: 't-1', project: 'p' }
    expect(isAllowed(caller, 'operator', 'POST', 'internal/turn-complete')).toBe(false)
  })

  test('is noticed when it grows: a file that speaks, and one that decides', () => {
    expect("await fetch('http://x')").toMatch(speaks)
    for (const text of ['verdict: ', '`tasks/t/outcome`', "{ kind: 'outcome' }", 'approve'])
      expect(text).toMatch(decides)
  })
})

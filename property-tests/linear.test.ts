/** What reads the texts of strangers and agents takes time in proportion to them: a pattern that tries each place anew does not. */
import { expect, test } from 'vitest'
import { withoutMarkers } from '../edges/forge/marker.ts'
import { typeChain } from '../memory/extract/chain.ts'
import { readDocument } from '../memory/extract/documents.ts'
import { languageOfSource } from '../memory/extract/languages.ts'
import { packagePieces } from '../memory/extract/packages.ts'
import { findEntities } from '../memory/engine/text/entities.ts'
import { sanitise } from '../wrapper/terminal/sanitise.ts'
import { withIncludes } from '../wrapper/boot/includes.ts'

function modules(text: string): unknown {
  return packagePieces(new Map([['go.mod', { text: `module a\n${text}`, sha: '' }]]))
}

const readers: readonly (readonly [what: string, unit: string, read: (text: string) => unknown])[] = [
  ['the words of a comment', ' ', (text) => withoutMarkers(`a${text}b`)],
  [
    "the files that a pod's instructions include",
    '.',
    (text) => withIncludes(`@a${text}b`, 'CLAUDE.md', async () => undefined),
  ],
  ['a prompt', '\n', (text) => sanitise(`a${text}b`)],
  ['the modules of Go that lead on', '\n', (text) => modules(`${text}b`)],
  ['the modules of Go on one line', 'a.', (text) => modules(text)],
  ['a manifest', '\n', (text) => readDocument('a.yaml', `${text}b`)],
  ['a header of C', '\n', (text) => languageOfSource('a.h', `${text}b`)],
  ['a type that is decorated', '&', (text) => typeChain(`${text}A`, { transparent: [], separator: '::' })],
  ['paths in a memory', '@', findEntities],
]

const [few, pieces] = [512, 16]

test.each(readers)('%s of many %j takes no longer in one piece than in sixteen', async (_what, unit, read) => {
  const cost = async (length: number, times: number): Promise<number> => {
    const text = unit.repeat(length / unit.length)
    const { user: before } = process.cpuUsage()
    for (let time = 0; time < times; time += 1) await read(text)
    return process.cpuUsage().user - before
  }
  const ratios: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const apart = await cost(few, pieces)
    ratios.push((await cost(few * pieces, 1)) / (apart + 1_000))
  }
  expect(Math.min(...ratios)).toBeLessThan(4)
})

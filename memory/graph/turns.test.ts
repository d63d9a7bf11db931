import { describe, expect, it } from 'vitest'
import { anEdge, anEntity } from './contract/builders.ts'
import { eachOf, merged, settle, sortByFile, type Pushed } from './settle.ts'

const count = 20_000
/** One file with everything, and as much that names no file. */
const pushed: Pushed = {
  entities: Array.from({ length: count }, (_, at) => anEntity(`e${at}`, { file: 'a.ts' })),
  edges: Array.from({ length: 2 * count }, (_, at) => anEdge(at < count ? `e${at}` : `x${at}`, 'e0')),
  hyperedges: [],
}

/** How often others have their turn while something is done. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const seen = { turns: 0, isOver: false }
  const count = (): void => {
    seen.turns += 1
    if (!seen.isOver) setImmediate(count)
  }
  setImmediate(count)
  const done = await work()
  seen.isOver = true
  return [done, seen.turns]
}

describe('a large push', () => {
  it('leaves others their turn at least once for some thousand elements, in each of its steps', async () => {
    const few = count / 5_000
    const [{ settled, unsettled }, sorting] = await turnsDuring(() => sortByFile(pushed))
    const [more, settling] = await turnsDuring(() => settle(unsettled, eachOf(settled)))
    const [all, merging] = await turnsDuring(() => merged(settled, more))
    expect(all.get('a.ts')?.edges).toHaveLength(2 * count)
    for (const turns of [sorting, settling, merging]) expect(turns).toBeGreaterThan(few)
  })
})

/** README's picture, which `npm run picture` draws: it names the states that it shows, in a text of its file. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)

interface Shown {
  readonly kind: string
  readonly states: readonly string[]
}

function shownIn(png: Buffer): Shown {
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const text = png.toString('latin1', at + 4, at + 8 + png.readUInt32BE(at))
    if (text.startsWith('tEXtshown\0')) return JSON.parse(text.slice('tEXtshown\0'.length)) as Shown
  }
  throw new Error('the picture names no states: npm run picture draws it')
}

function statesOf(kind: string): readonly string[] {
  const chart = readFileSync(new URL(`edges/inspector/generated/charts/${kind}.json`, root), 'utf8')
  return (JSON.parse(chart) as { readonly states: readonly { readonly id: string }[] }).states.map(({ id }) => id)
}

/** Of the frame that a state is in. */
function frameOf(id: string): string {
  return id.split('.').slice(0, -1).join('.')
}

test('the states in README’s picture are those of the machine: all of each frame that it shows open', () => {
  expect(readFileSync(new URL('README.md', root), 'utf8')).toContain('](docs/inspector.png)')
  const { kind, states } = shownIn(readFileSync(new URL('docs/inspector.png', root)))
  const frames = new Set(states.map(frameOf))
  expect(frames.size).toBeGreaterThan(3)
  const now = statesOf(kind).filter((id) => frames.has(frameOf(id)))
  expect([...states].toSorted(), 'npm run picture draws it anew').toEqual(now.toSorted())
})

import { expect, test } from 'vitest'
import { arrowsOf, drawn } from './arrows.ts'
import { houseOfTexts } from '../architecture/house.ts'

const { files } = houseOfTexts({
  'a/one.ts': "import { two } from '../b/two.ts'\nimport type { Three } from '../c/d/three.ts'",
  'a/more.ts': "import { two } from '../b/two.ts'\nimport { one } from './one.ts'",
  'b/two.ts': "import { three } from '../c/d/three.ts'",
  'c/d/three.ts': "import { four } from '../e/four.ts'\nimport { x } from 'xstate'",
  'c/e/four.ts': "const { one } = await import('../../b/two.ts')",
})

test('imports between rooms are counted, those of types and lazy ones too, and rooms in a circle are named', () => {
  expect(arrowsOf(files)).toEqual([
    { from: 'a', to: 'b', imports: 2, isCircular: false },
    { from: 'a', to: 'c', imports: 1, isCircular: false },
    { from: 'b', to: 'c', imports: 1, isCircular: true },
    { from: 'c', to: 'b', imports: 1, isCircular: true },
  ])
})

test('of one folder its own rooms are drawn', () => {
  expect(drawn(arrowsOf(files, 'c/'))).toBe('flowchart TD\n  r0["d"]\n  r1["e"]\n  r0 -->|1| r1')
})

import { expect, test } from 'vitest'
import { drawnOf, isDrawn } from './drawn.ts'

const controls = Array.from({ length: 400 }, (_, number) => `control ${number}`)
const commits = Array.from({ length: 40 }, (_, number) => `commit ${number}`)
const ways = {
  isDrawn: (commit: string) => controls.filter((control) => isDrawn(control, commit)),
  drawnOf: (commit: string) => drawnOf(controls, (control) => control, commit),
}

test.each(Object.entries(ways))(
  '%s: by hand all run, a commit draws a quarter, and commits in a row draw all',
  (_, drawnBy) => {
    expect(drawnBy('')).toEqual(controls)
    expect(drawnBy('5c1b9d2e')).toEqual(drawnBy('5c1b9d2e'))
    for (const commit of commits) {
      expect(drawnBy(commit).length).toBeGreaterThan(60)
      expect(drawnBy(commit).length).toBeLessThan(140)
    }
    expect(new Set(commits.flatMap((commit) => drawnBy(commit))).size).toBe(controls.length)
  },
)

test('of a short list each commit draws one at least, in the order of the list', () => {
  for (const length of [1, 2, 4, 7, 13])
    for (const commit of commits) {
      const all = controls.slice(0, length)
      const drawn = drawnOf(all, (control) => control, commit)
      expect(drawn.length).toBe(Math.ceil(length / 4))
      expect(drawn).toEqual(all.filter((control) => drawn.includes(control)))
    }
})

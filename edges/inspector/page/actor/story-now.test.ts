import { expect, test } from 'vitest'
import type { Story } from '../../../../machines/why/story.ts'
import { storyNow } from './story-now.ts'

type Bar = Story['lanes'][number]['bars'][number]

function bar(on: NonNullable<Bar['on']>, from: number, until: number): Bar {
  return { sign: '●', word: 'working', tone: 'goes', on, from, until }
}

const waiting: Story = {
  from: 0,
  until: 10_000,
  isOver: false,
  cut: null,
  lanes: [
    { title: 'Waits for', bars: [bar('agent', 0, 7000), bar('person', 7000, 10_000)] },
    { title: 'Task', bars: [bar('agent', 0, 10_000)] },
    { title: 'Pods', bars: [] },
  ],
  waits: [
    { on: 'agent', ms: 7000 },
    { on: 'person', ms: 3000 },
  ],
}

test('while a Task waits, its story goes on to now: the total, the open bar of each lane, and whom it waits for (INSPECTOR-10)', () => {
  const { until, lanes, waits } = storyNow(waiting, 25_000)
  expect(until).toBe(25_000)
  expect(lanes.map(({ bars }) => bars.at(-1)?.until)).toEqual([25_000, 25_000, undefined])
  expect(lanes[0]?.bars[0]?.until).toBe(7000)
  expect(waits).toEqual([
    { on: 'person', ms: 18_000 },
    { on: 'agent', ms: 7000 },
  ])
})

test('whom it waits for since this moment alone is counted too', () => {
  const begun = { ...waiting, waits: waiting.waits.slice(0, 1) }
  expect(storyNow(begun, 10_500).waits).toContainEqual({ on: 'person', ms: 500 })
})

test('a story that is over stays as it is, and so does one that was read after the page’s now', () => {
  expect(storyNow({ ...waiting, isOver: true }, 25_000)).toEqual({ ...waiting, isOver: true })
  expect(storyNow(waiting, 9000)).toEqual(waiting)
})

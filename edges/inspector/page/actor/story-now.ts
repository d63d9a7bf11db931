import type { Story } from '../../../../machines/why/story.ts'

/** A story as it is now: where no step was since it was read, all that was the last still goes on. */
export function storyNow(story: Story, now: number): Story {
  const added = now - story.until
  if (story.isOver || added <= 0) return story
  const on = story.lanes[0]?.bars.at(-1)?.on
  return {
    ...story,
    until: now,
    lanes: story.lanes.map(({ title, bars }) => ({
      title,
      bars: bars.map((bar, index) => (index === bars.length - 1 ? { ...bar, until: now } : bar)),
    })),
    waits: on === undefined ? story.waits : longer(story.waits, on, added),
  }
}

function longer(waits: Story['waits'], on: string, added: number): Story['waits'] {
  const { ms = 0 } = waits.find((wait) => wait.on === on) ?? {}
  const others = waits.filter((wait) => wait.on !== on)
  return [...others, { on, ms: ms + added }].toSorted((one, other) => other.ms - one.ms)
}

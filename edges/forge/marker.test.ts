import { expect, test } from 'vitest'
import { keyMarker, topicMarker, withMarkers, withoutMarkers } from './marker.ts'

const words = 'The plan.\n\n<!-- of a person -->'

test('the marks at the end of a text are none of its words, and what stands before them is', () => {
  const marked = withMarkers(words, topicMarker('plan'), keyMarker('outbox/1'))
  for (const text of [marked, `${marked} \r\n`, words]) expect(withoutMarkers(text)).toBe(words)
  expect(withoutMarkers(`${topicMarker('plan')} ${words}`)).toBe(`${topicMarker('plan')} ${words}`)
  expect(withoutMarkers('a <!-- platform:not one -->')).toBe('a <!-- platform:not one -->')
})

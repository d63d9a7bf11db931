import { expect, test } from 'vitest'
import { createVoice } from './voice.ts'

test('what happens while a person is asked is told after the answer, in order', async () => {
  const written: string[] = []
  const answer = Promise.withResolvers<string>()
  const voice = createVoice(
    (line) => void written.push(line),
    () => answer.promise,
  )
  voice.write('before')
  const asking = voice.ask('Approve?', new AbortController().signal)
  voice.write('the turn ended')
  voice.write('pod 1 ended')
  expect(written).toEqual(['before'])
  answer.resolve('y')
  expect(await asking).toBe('y')
  expect(written).toEqual(['before', 'the turn ended', 'pod 1 ended'])
})

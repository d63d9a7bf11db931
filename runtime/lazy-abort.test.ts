import { expect, test } from 'vitest'
import { EffectCall, LazyAbort } from './lazy-abort.ts'

test('who asked for the signal is told, and one who asks afterwards finds it aborted, for the first reason', () => {
  const abort = new LazyAbort()
  const early = new EffectCall({ key: 'k', actor: 'task:a', attempt: 1, at: 0 }, abort).signal
  expect([abort.isAborted, early.aborted]).toEqual([false, false])
  const first = new Error('withdrawn')
  abort.abort(first)
  abort.abort(new Error('lease lost'))
  expect([abort.isAborted, early.aborted, early.reason]).toEqual([true, true, first])
  const unasked = new LazyAbort()
  unasked.abort(first)
  expect([unasked.signal.aborted, unasked.signal.reason]).toEqual([true, first])
})

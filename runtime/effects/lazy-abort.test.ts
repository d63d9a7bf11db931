import { expect, test } from 'vitest'
import { EffectNotHeldError } from '../errors.ts'
import { EffectCall, LazyAbort } from './lazy-abort.ts'

test('who asked for the signal is told, and one who asks afterwards finds it aborted, for the first reason', () => {
  const abort = new LazyAbort()
  const early = new EffectCall({ key: 'k', actor: 'task:a', attempt: 1, at: 0 }, abort, () => true).signal
  expect([abort.isAborted, early.aborted]).toEqual([false, false])
  const first = new Error('withdrawn')
  abort.abort(first)
  abort.abort(new Error('lease lost'))
  expect([abort.isAborted, early.aborted, early.reason]).toEqual([true, true, first])
  const unasked = new LazyAbort()
  unasked.abort(first)
  expect([unasked.signal.aborted, unasked.signal.reason]).toEqual([true, first])
})

test('a call says at every question whether it may still write', () => {
  let isHeld = true
  const call = new EffectCall({ key: 'k', actor: 'task:a', attempt: 1, at: 0 }, new LazyAbort(), () => isHeld)
  expect(() => call.assertHeld()).not.toThrow()
  isHeld = false
  expect(() => call.assertHeld()).toThrow(EffectNotHeldError)
  expect(() => call.assertHeld()).toThrow('k: another process may perform it by now')
})

import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hook } from '../store/records.ts'
import { signDelivery, subscribes } from './webhooks.ts'

function aHook(change: Partial<Hook>): Hook {
  const lastResponse = { code: null, status: 'unused', message: null }
  const base = {
    id: 7,
    url: 'http://127.0.0.1/',
    secret: null,
    contentType: 'json' as const,
    events: ['push'],
    active: true,
  }
  const state = { dialect: 'github' as const, failures: 0, disabledUntil: null }
  return { ...base, ...state, createdAt: '', updatedAt: '', lastResponse, ...change }
}

const MESSAGE = { event: 'push', action: undefined, payload: { text: 'a&b=ü' } }

test('a form-encoded body carries the JSON in one field, and the signature covers the encoded bytes', () => {
  const { body, headers } = signDelivery(() => 1, aHook({ secret: 's', contentType: 'form' }), 'guid', MESSAGE)
  expect(JSON.parse(new URLSearchParams(body).get('payload') ?? '')).toEqual(MESSAGE.payload)
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(headers['x-hub-signature-256']).toBe(`sha256=${createHmac('sha256', 's').update(body).digest('hex')}`)
})

test('a hook without a secret is not signed', () => {
  expect(signDelivery(() => 1, aHook({}), 'guid', MESSAGE).headers).not.toHaveProperty('x-hub-signature-256')
})

test('a hook hears what it asked for while it is active, and a star is everything', () => {
  expect(['push', 'issues'].map((event) => subscribes(aHook({}), event))).toEqual([true, false])
  expect(subscribes(aHook({ events: ['*'] }), 'issues')).toBe(true)
  expect(subscribes(aHook({ events: ['*'], active: false }), 'issues')).toBe(false)
})

import { describe, expect, it } from 'vitest'
import { addressOf, effectKey, isIndexable, parseAddress, parseEffectKey, shardOf } from './address.ts'

describe('addresses', () => {
  it('are a kind and an id, which may hold colons and slashes', () => {
    expect(parseAddress('pod:default/implement-lib-1-x7k2p/1')).toEqual({
      kind: 'pod',
      id: 'default/implement-lib-1-x7k2p/1',
    })
    expect(parseAddress(addressOf('turn', 'a:b'))).toEqual({ kind: 'turn', id: 'a:b' })
  })

  it.each(['', 'task', ':id', 'task:', 'task:a\u0000'])('are not %j', (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })

  it('keep their shard for ever, because rows carry it', () => {
    // The published test vectors of 32-bit FNV-1a.
    expect(['a', 'foobar'].map((address) => shardOf(address, 2 ** 32))).toEqual([0xe40c292c, 0xbf9cf968])
  })

  it('spread over all shards', () => {
    const used = new Set(Array.from({ length: 1000 }, (_, index) => shardOf(`task:default/t-${index}`, 64)))
    expect(used.size).toBe(64)
  })
})

describe('effect keys', () => {
  it('tell actor, sequence number and index, also of actors whose id looks like one', () => {
    const id = { actor: 'pod:default/t/1' as const, seq: 12, index: 3 }
    expect(effectKey(id)).toBe('pod:default/t/1/12/3')
    expect(parseEffectKey(effectKey(id))).toEqual(id)
    expect(parseEffectKey('pod:default')).toBeUndefined()
  })
})

describe('index columns', () => {
  it.each([
    ['a'.repeat(1025), false],
    ['a'.repeat(1024), true],
    ['line\nbreak', false],
    ['\ud800', false],
    ['ünï', true],
    [7, false],
  ])('take %j: %s', (text, isTaken) => {
    expect(isIndexable(text)).toBe(isTaken)
  })
})

import { describe, expect, it } from 'vitest'
import { maskWith } from './mask.ts'

const mask = maskWith(new Uint8Array(32).fill(7))

describe('the mask of an export', () => {
  it('leaves no word of what people wrote or of who they are', () => {
    const event = {
      type: 'issue.commented',
      author: 'Grace-Hopper',
      text: 'Call me at 5551234567, grace@example.org',
      unheardOf: 'my diary',
      oneWord: 'diary',
    }
    const said = JSON.stringify(mask(event))
    for (const word of ['Grace', 'Hopper', 'Call', '5551234567', 'example', 'diary']) expect(said).not.toContain(word)
    expect(mask(event)).toMatchObject({ type: 'issue.commented' })
  })

  it('gives one word one mask, so that a quote stays a quote and a login stays the same one', () => {
    const { body, quote, author, login } = mask({
      body: 'Looks fine to Grace, merge after lunch.',
      quote: 'merge after lunch',
      author: 'grace',
      login: 'GRACE',
    }) as Record<string, string>
    expect(body).toContain(quote)
    expect(login).toBe(author?.toUpperCase())
    expect(body?.toLowerCase()).toContain(author)
  })

  it('keeps length, case, blanks, marks and short numbers', () => {
    const text = 'Fix #12:\n  - The `Parser` in README\t(v2)'
    const { body } = mask({ body: text }) as { body: string }
    expect(body).toHaveLength(text.length)
    expect(body).toMatch(/^[A-Z][a-z]{2} #12:\n {2}- [A-Z][a-z]{2} `[A-Z][a-z]{5}` [a-z]{2} [A-Z]{6}\t\([a-z]{2}\)$/)
  })

  it('keeps the words by which people decide', () => {
    expect(mask({ text: '/approve, LGTM, but stop' })).toEqual({
      text: expect.stringMatching(/^\/approve, LGTM, \w+ stop$/),
    })
  })

  it('keeps names of things and constants, and a sentence under such a name not', () => {
    expect(mask({ stageReason: 'needs-maintainer', task: 'default/implement-lib-1-x7k2p', shas: ['abc'] })).toEqual({
      stageReason: 'needs-maintainer',
      task: 'default/implement-lib-1-x7k2p',
      shas: ['abc'],
    })
    const turn = { lastPushedRepos: ['lib'], lastFailedRepos: ['app'] }
    expect(mask({ turn: { ...turn, lastFinalText: 'done' } })).not.toMatchObject({ turn: { lastFinalText: 'done' } })
    expect(mask({ turn })).toEqual({ turn })
    expect(JSON.stringify(mask({ reason: 'the forge said: Bad credentials' }))).not.toContain('credentials')
  })

  it('keeps what stands below maps whose keys are data', () => {
    const trees = { model: { implement: 'claude-5' }, usage: { inputTokens: 7, tier: 'standard' } }
    expect(mask(trees)).toEqual(trees)
  })

  it('hides what looks like a secret even where names are kept', () => {
    const { url, name } = mask({ url: 'https://me:hunter22@host/x', name: `ghp_${'a'.repeat(36)}` }) as Record<
      string,
      string
    >
    expect(url).toBe('https://•••@host/x')
    expect(name).toBe('•••')
  })

  it('says with another key another word', () => {
    expect(maskWith(new Uint8Array(32).fill(8))({ text: 'diary' })).not.toEqual(mask({ text: 'diary' }))
  })
})

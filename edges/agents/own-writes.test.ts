import { describe, expect, it } from 'vitest'
import type { ForgeComment, ForgeIssue, ForgePort } from '../forge/port.ts'
import { agentMarker, commentOnce, openIssueOnce, type AgentComment } from './own-writes.ts'
import { aForge, aForgeComment } from './testing/fixture.ts'

const question: AgentComment = {
  task: 'default/implement-lib-1-x7k2p',
  path: 'acme/lib',
  on: 'issue',
  number: 1,
  body: 'May I?',
}

/** A forge with one thread, which may lose its answer after it wrote. */
function aThread(): {
  readonly forge: ForgePort
  readonly written: ForgeComment[]
  readonly reviews: ForgeComment[]
  write(body: string): Promise<ForgeComment>
  losing: boolean
} {
  const written: ForgeComment[] = []
  const reviews: ForgeComment[] = []
  return {
    written,
    reviews,
    losing: false,
    forge: aForge({ listComments: async () => written, listReviews: async () => reviews }),
    async write(body) {
      const comment = aForgeComment({ id: String(written.length + 1), body })
      written.push(comment)
      if (this.losing) throw new Error('502 after the write')
      return comment
    },
  }
}

describe('a comment on behalf of an agent', () => {
  it('is written with a hidden marker and what the agent said first', async () => {
    const thread = aThread()
    const { comment, existing } = await commentOnce(thread.forge, question, (body) => thread.write(body))
    expect([comment.body, existing]).toEqual([`May I?\n\n${agentMarker(question)}`, false])
    expect(agentMarker(question)).toMatch(/^<!-- platform:agent\/[0-9a-f]{24} -->$/)
  })

  it('is never doubled: its repeat, even after a lost answer, finds the first (TOOL-ISSUE-7)', async () => {
    const thread = aThread()
    thread.losing = true
    await expect(commentOnce(thread.forge, question, (body) => thread.write(body))).rejects.toThrow('502')
    thread.losing = false
    const again = await commentOnce(thread.forge, question, (body) => thread.write(body))
    expect([again.existing, again.comment.id, thread.written.length]).toEqual([true, '1', 1])
  })

  it('is found among the answers to a review too', async () => {
    const thread = aThread()
    const reply = { ...question, on: 'mr' } as const
    thread.reviews.push(aForgeComment({ id: 'inline-9', body: `May I?\n\n${agentMarker(reply)}` }))
    expect((await commentOnce(thread.forge, reply, (body) => thread.write(body))).comment.id).toBe('inline-9')
    expect(thread.written).toEqual([])
  })

  it.each<[string, Partial<AgentComment>]>([
    ['by another Task', { task: 'default/implement-lib-2-aaaaa' }],
    ['on another repository', { path: 'acme/app' }],
    ['on a merge request', { on: 'mr' }],
    ['on another number', { number: 2 }],
    ['in other words', { body: 'May I now?' }],
  ])('%s is another one', async (_what, change) => {
    const thread = aThread()
    await commentOnce(thread.forge, question, (body) => thread.write(body))
    const other = await commentOnce(thread.forge, { ...question, ...change }, (body) => thread.write(body))
    expect([other.existing, thread.written.length]).toEqual([false, 2])
  })
})

describe('an issue on behalf of an agent', () => {
  it('is never doubled: its repeat, even after a lost answer, finds the first (TOOL-ISSUE-7)', async () => {
    const open: ForgeIssue[] = []
    const forge = aForge({
      listIssues: async () => open,
      createIssue: async (_path: string, { title, body }: { readonly title: string; readonly body: string }) => {
        open.push({ number: open.length + 1, title, body } as ForgeIssue)
        throw new Error('502 after the write')
      },
    })
    const asked = {
      task: 'default/implement-lib-1-x7k2p',
      path: 'acme/lib',
      title: 'Flaky',
      body: 'It fails at night.',
    }
    await expect(openIssueOnce(forge, asked)).rejects.toThrow('502')
    expect(await openIssueOnce(forge, asked)).toMatchObject({ existing: true, issue: { number: 1 } })
    await expect(openIssueOnce(forge, { ...asked, title: 'Another' })).rejects.toThrow('502')
    expect(open.map(({ title }) => title)).toEqual(['Flaky', 'Another'])
  })
})

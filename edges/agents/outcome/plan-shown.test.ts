import { afterEach, describe, expect, test, vi } from 'vitest'
import { planComment } from '../../../machines/issue/plan.ts'
import { ATask } from '../../../machines/testing/a-task.ts'
import type { ForgeComment } from '../../forge/port.ts'
import { ofGitlab, withForgeEdge, type EdgeFixture } from '../../forge/testing/fixture.ts'
import { aThreadComment, aThreadReader, nothingSpilled } from '../testing/fixture.ts'
import { buildClaims } from './claims.ts'

const firstPlan = { id: 'note-1', hash: 'sha256:plan-1' }
const permissions = { maintainer: 'admin', bot: 'admin', stranger: 'admin' } as const

/** Forges date in whole seconds. */
function later(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

afterEach(() => {
  vi.useRealTimers()
})

class ShownPlan {
  readonly #fixture: EdgeFixture
  readonly #repo: string
  readonly number: number
  #task: ATask

  constructor(fixture: EdgeFixture, repo: string) {
    this.#fixture = fixture
    this.#repo = repo
    this.number = fixture.forge.openIssue('maintainer', repo, { title: 'Fails', labels: ['platform'] }).number
    this.#task = this.#minted()
  }

  #minted(): ATask {
    const owned = { issue: `default/library-${this.number}`, repository: 'library', number: this.number }
    const url = 'http://forge/1'
    return new ATask()
      .mint({ issues: [{ ...owned, title: 'Fails', author: 'maintainer', url }], repositories: ['library'] } as never)
      .running()
  }

  /** On the same issue. */
  nextTask(): void {
    this.#task = this.#minted()
  }

  async show(plan = firstPlan): Promise<string> {
    const { edge, context } = this.#fixture
    this.#task.planned(plan.id, plan.hash)
    const note = this.#task.context.journal.notes.at(-1)!
    Object.assign(note, { at: Date.now() - 1000 })
    const body = planComment(plan.hash, note.body)
    const subject = { project: 'default/demo', repository: 'library', number: this.number }
    await edge.handlers.postComment.perform(
      { ...subject, on: 'issue', topic: 'plan', body },
      context(`issue:a/1/${plan.id}`),
    )
    return (await this.comments())[0]!.id
  }

  /** The same words once more: nothing new is shown. */
  noteAgain(): void {
    this.#task.planned('note-1b', firstPlan.hash)
    Object.assign(this.#task.context.journal.notes.at(-1)!, { at: Date.now() })
  }

  async comments(): Promise<readonly ForgeComment[]> {
    const forge = await this.#fixture.openForge('default/demo')
    const path = this.#fixture.project.scm.provider === 'forge_b' ? 'acme/tools/library' : 'acme/library'
    return forge.listComments(path, 'issue', this.number)
  }

  edit(login: string, id: string, body: string): void {
    later(2)
    this.#fixture.forge.editComment(login, this.#repo, Number(id), body)
  }

  delete(login: string, id: string): void {
    later(2)
    this.#fixture.forge.deleteComment(login, this.#repo, Number(id))
  }

  approve(): string {
    later(2)
    return String(this.#fixture.forge.comment('maintainer', this.#repo, this.number, 'approve').id)
  }

  async refusedBy(id: string): Promise<string | undefined> {
    const { directory, openForge } = this.#fixture
    const { body, createdAt } = (await this.comments()).find((one) => one.id === id)!
    const said = aThreadComment({ id, author: 'maintainer', body, createdAt })
    const threads = aThreadReader({ comments: { [`issue ${this.number}`]: [said] } })
    later(2)
    const payload = {
      action: 'approved',
      reason: 'r',
      plan_note_id: this.#task.context.journal.planNoteId ?? '',
      approving_maintainer: 'maintainer',
    } as const
    const deps = { projects: directory, threads, openForge, sql: nothingSpilled }
    const task = { ...this.#task.context, config: { ...this.#task.context.config, project: 'default/demo' } }
    const claims = await buildClaims(deps, task, { ...payload, approval_citations: [{ id, quote: 'approve' }] })
    expect(claims).toHaveLength(1)
    return claims[0]!.refusedBy
  }
}

async function withPlan(provider: string, use: (shown: ShownPlan) => Promise<void>): Promise<void> {
  const isGitlab = provider === 'GitLab'
  const gitlab = { dialect: 'gitlab', owner: 'acme/tools' } as const
  const repository = { permissions, ...(isGitlab ? gitlab : {}) }
  const repo = isGitlab ? 'acme/tools/library' : 'acme/library'
  await withForgeEdge({ repository, ...(isGitlab ? { project: ofGitlab } : {}) }, (fixture) =>
    use(new ShownPlan(fixture, repo)),
  )
}

describe.each(['GitHub', 'GitLab'])('APPROVAL-19 at %s', (provider) => {
  test('a plan comment that another hand altered is not what the approval speaks of', async () => {
    await withPlan(provider, async (shown) => {
      const id = await shown.show()
      const [{ body } = { body: '' }] = await shown.comments()
      shown.edit('stranger', id, body.replace('the plan', 'a harmless plan'))
      const misled = shown.approve()
      expect(await shown.refusedBy(misled)).toBe('plan-shown')
      // Written anew, what the maintainer said of the other text stays refused; a new word grants.
      expect((await shown.comments())[0]!.body).toContain('the plan')
      expect((await shown.comments())[0]!.body).not.toContain('harmless')
      expect(await shown.refusedBy(misled)).toBe('plan-shown')
      expect(await shown.refusedBy(shown.approve())).toBe(undefined)
    })
  })

  test('nor is one that was altered, and put back after the approval', async () => {
    await withPlan(provider, async (shown) => {
      const id = await shown.show()
      const [{ body } = { body: '' }] = await shown.comments()
      shown.edit('stranger', id, body.replace('the plan', 'a harmless plan'))
      const misled = shown.approve()
      later(2)
      shown.noteAgain()
      shown.edit('stranger', id, body)
      expect(await shown.refusedBy(misled)).toBe('plan-shown')
    })
  })

  test('a plan comment that another hand deleted is written anew, and asks again', async () => {
    await withPlan(provider, async (shown) => {
      const id = await shown.show()
      const blind = shown.approve()
      shown.delete('stranger', id)
      expect(await shown.refusedBy(blind)).toBe('plan-shown')
      expect((await shown.comments()).at(-1)!.body).toContain('the plan')
      expect(await shown.refusedBy(shown.approve())).toBe(undefined)
    })
  })

  test('an approval of an older plan is left to its Issue, and the comment as it is', async () => {
    await withPlan(provider, async (shown) => {
      await shown.show()
      const early = shown.approve()
      later(5)
      await shown.show({ id: 'note-2', hash: 'sha256:plan-2' })
      const [{ body } = { body: '' }] = await shown.comments()
      expect(await shown.refusedBy(early)).toBe(undefined)
      expect((await shown.comments())[0]!.body).toBe(body)
      expect(await shown.refusedBy(shown.approve())).toBe(undefined)
    })
  })

  test('an approval of an earlier Task’s plan is of an older plan, and nobody altered the comment', async () => {
    await withPlan(provider, async (shown) => {
      await shown.show()
      const early = shown.approve()
      later(5)
      shown.nextTask()
      await shown.show({ id: 'note-2', hash: 'sha256:plan-2' })
      expect(await shown.refusedBy(early)).toBe('plan-newest')
      expect(await shown.refusedBy(shown.approve())).toBe(undefined)
    })
  })

  test('an approval of the plan as it was shown grants', async () => {
    await withPlan(provider, async (shown) => {
      await shown.show()
      expect(await shown.refusedBy(shown.approve())).toBe(undefined)
    })
  })

  test('an approval from before the first plan speaks of none', async () => {
    await withPlan(provider, async (shown) => {
      const early = shown.approve()
      later(5)
      await shown.show()
      expect(await shown.refusedBy(early)).toBe(undefined)
    })
  })
})

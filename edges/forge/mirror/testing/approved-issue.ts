/** An approved issue with a real machine behind it, the people who may write there, and the merge that asks it; for tests and attacks. */
import type { AnyStateMachine } from 'xstate'
import { drive, type Drive } from '../../../../machines/drive.ts'
import { grantHolds } from '../../../../machines/issue/context.ts'
import type { IssueFacts } from '../../../../machines/issue/events.ts'
import { issueMachine } from '../../../../machines/issue/machine.ts'
import { mergeWhenKnown, openChange } from '../../outbound/testing/merges.ts'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../../testing/fixture.ts'

const REPO = 'acme/library'
const ISSUE = 'default/library-1'
export const TASK = 'default/implement-library-1-aaaaa'
const BRANCH = 'platform/implement-library-1-aaaaa'

/** `maintainer` and `acme` maintain; `stranger` may edit whatever anybody wrote, and maintains nothing; `reader` reads. */
const permissions = { maintainer: 'admin', bot: 'admin', stranger: 'admin', reader: 'read' } as const

/** An issue whose plan `maintainer` approved, and that is granted; what comes after it is each test's own. */
export class ApprovedIssue {
  readonly fixture: EdgeFixture
  readonly issue: Drive
  readonly number: number
  readonly #hear: Hear
  #approval = 0
  #change: Change | undefined

  constructor(fixture: EdgeFixture, issue: Drive, number: number, hear: Hear) {
    this.fixture = fixture
    this.issue = issue
    this.number = number
    this.#hear = hear
    fixture.threads.push({ kind: 'issue', repository: 'library', number, task: TASK })
  }

  get approval(): number {
    return this.#approval
  }

  get facts(): IssueFacts {
    return this.issue.context.facts as IssueFacts
  }

  get isGranted(): boolean {
    return grantHolds(this.issue.context)
  }

  say(login: string, body: string): number {
    return this.fixture.forge.comment(login, REPO, this.number, body).id
  }

  /** Heard by the Issue before anything else happens. */
  async sayHeard(login: string, body: string): Promise<number> {
    const id = await this.fixture.quiet(this.say(login, body))
    return id
  }

  async approve(login = 'maintainer'): Promise<void> {
    this.#approval = await this.sayHeard(login, '/approve')
    this.claim(this.#approval)
  }

  claim(id: number): void {
    const approval = this.facts.approvals.find((one) => one.commentId === String(id))
    const words = { author: approval?.author ?? 'maintainer', quote: '/approve', span: '/approve' }
    const citation = { commentId: String(id), bodyHash: approval?.bodyHash ?? '', ...words }
    const claim = { issue: ISSUE, citation }
    this.#hear({ type: 'approval.claimed', task: TASK, planHash: 'p1', claim })
  }

  edit(login: string, id: number, body: string): void {
    this.fixture.forge.editComment(login, REPO, id, body)
  }

  delete(login: string, id: number): void {
    this.fixture.forge.deleteComment(login, REPO, id)
  }

  rewrite(login: string, patch: { readonly title?: string; readonly body?: string }): void {
    this.fixture.forge.editIssue(login, REPO, this.number, patch)
  }

  async rewriteHeard(login: string, patch: { readonly title?: string; readonly body?: string }): Promise<void> {
    await this.fixture.quiet(this.rewrite(login, patch))
  }

  /** The next webhook of an edit of the issue does not arrive; the resync may get it again. */
  loseNextEdit(): void {
    this.fixture.forge.faults.inject({ kind: 'drop', event: 'issues', action: 'edited', times: 1 })
  }

  /** From now on no webhook of a thread arrives, and none can be had again. */
  loseWebhooks(): void {
    const { faults } = this.fixture.forge
    faults.inject({ kind: 'drop', event: 'issue_comment', times: 10_000 })
    faults.inject({ kind: 'drop', event: 'issues', times: 10_000 })
    faults.inject({
      kind: 'errorBeforeWrite',
      method: 'GET',
      path: `/repos/${REPO}/hooks/**`,
      status: 403,
      times: 10_000,
    })
  }

  async resync(): Promise<void> {
    this.fixture.clock.advance(30 * 60_000)
    await this.fixture.edge.handlers.resyncMirror.perform({ project: 'default/demo' }, this.fixture.context('resync'))
    await this.fixture.quiet()
  }

  /** The merge request of the Task, opened and known to it. */
  async change(): Promise<Change> {
    if (this.#change === undefined) {
      this.#change = await openChange(this.fixture)
      this.fixture.threads.push({ kind: 'mr', repository: 'library', number: this.#change.number, task: TASK })
      await this.fixture.quiet()
    }
    return this.#change
  }

  /** A new head of the merge request, which the review read. */
  async pushAgain(): Promise<void> {
    const { number, folder } = await this.change()
    const sha = await this.fixture.push(folder, BRANCH, { 'src/again.js': 'export const again = true\n' })
    this.#change = { number, sha, folder }
    await this.fixture.quiet()
  }

  /** What answers the merge; nothing: it is merged. */
  async merge(): Promise<readonly unknown[]> {
    const change = await this.change()
    const answers = await mergeWhenKnown(this.fixture, change, { grants: [`issue:${ISSUE}`] })
    return answers.map(({ event }) => event.reason)
  }

  /** By the forge's own record. */
  get isMerged(): boolean {
    return this.fixture.forge.audit().some(({ action }) => action === 'pull.merge')
  }
}

type Change = Awaited<ReturnType<typeof openChange>>

type Hear = (event: { readonly type: string; readonly [field: string]: unknown }) => void

export interface ApprovedIssueOptions extends Pick<EdgeFixtureOptions, 'rules' | 'before'> {
  readonly machine?: AnyStateMachine
  readonly maintainerLogins?: readonly string[]
  /** Who wrote the issue. */
  readonly author?: string
}

export async function withApprovedIssue(
  {
    machine = issueMachine,
    maintainerLogins = ['maintainer', 'acme'],
    author = 'reader',
    ...rest
  }: ApprovedIssueOptions,
  use: (approved: ApprovedIssue) => Promise<void>,
): Promise<void> {
  const issue = drive(machine, ISSUE)
  let grants = new Set<string>()
  const hear: Hear = (event) => {
    issue.send(event)
    if (grantHolds(issue.context)) grants.add(`issue:${ISSUE}`)
    else grants.delete(`issue:${ISSUE}`)
  }
  const options: EdgeFixtureOptions = {
    ...rest,
    repository: { permissions },
    project: (given) => ({ ...given, scm: { ...given.scm, maintainerLogins: [...maintainerLogins] } }),
    hears: ({ to, event }) => {
      if (to === `issue:${ISSUE}`) hear(event)
    },
  }
  await withForgeEdge(options, async (fixture) => {
    grants = fixture.grants
    await fixture.edge.handlers.checkProject.perform({ project: 'default/demo' }, fixture.context('check'))
    const { number } = fixture.forge.openIssue(author, REPO, { title: 'Add mul', body: 'We need it.' })
    await fixture.quiet(fixture.forge.addLabel('maintainer', REPO, number, 'platform'))
    hear({ type: 'issue.owned', task: TASK })
    hear({ type: 'plan.written', task: TASK, noteId: 'n1', planHash: 'p1', body: 'multiply' })
    const approved = new ApprovedIssue(fixture, issue, number, hear)
    await approved.approve()
    await use(approved)
  })
}

/**
 * Authority and a forge that misbehaves, on the whole stack: the orchestrator's own process, real git, pods with the
 * real agent program. What happened is read from the forge's audit log, which nothing but the forge writes.
 */
import { expect, test } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { people } from '../../standins/people.ts'
import { openingOf } from './story.ts'
import { withStory, type Story } from './testing/fixture.ts'
import { judge } from './verdict.ts'

const limitMs = 180_000
const forges = ['github', 'gitlab'] as const

function expectNoCodeOnForge({ stack, repository, deeds }: Story): void {
  const code = ['git.push', 'branch.create', 'branch.delete', 'pull.open', 'pull.merge', 'review.create'] as const
  expect(deeds().filter(({ action }) => (code as readonly string[]).includes(action))).toEqual([])
  expect(stack.forge.issues(repository).filter(({ kind }) => kind === 'pull')).toEqual([])
}

function labelsOf({ stack, repository }: Story, number: number): readonly string[] {
  return stack.forge.issue(repository, number).labels.map(({ name }) => name)
}

describeRequiring('claude', 'a whole story', () => {
  test.each(forges)(
    'on %s, an approval with a quote that nobody wrote parks the Task, is answered on the issue, and no code reaches the forge',
    (forge) =>
      withStory(
        'reject-quote.yaml',
        async (story) => {
          expect(openingOf(story.stack.ready)).toMatch(/what is acknowledged outlives the loss of power$/)
          story.openIssue()
          const task = await story.untilAtRest('identity-unverified')
          expect(task.status.stageClass).toBe('parked')
          expectNoCodeOnForge(story)
          expect(story.botComments().at(-1)).toMatch(
            /could not verify the approval that the agent cited: `quote-matches`/,
          )
        },
        forge,
      ),
    limitMs,
  )

  test(
    'an approval by a stranger or the reporter is none, whoever the agent says it was, and nothing is implemented',
    () =>
      withStory('uninvited-approval.yaml', async (story) => {
        const number = story.openIssue()
        await story.untilAtRest('identity-unverified')
        const approving = story
          .deeds()
          .filter(({ action, detail }) => action === 'comment.create' && /^\/approve$/m.test(String(detail?.['body'])))
        expect(approving.map(({ actor }) => actor)).toEqual([people.stranger, people.reporter])
        expectNoCodeOnForge(story)
        expect(story.botComments().at(-1)).toMatch(/could not verify the approval/)
        expect(labelsOf(story, number)).not.toContain('platform-approved')
      }),
    limitMs,
  )

  test(
    'an issue by somebody who is no reporter gets no Task, and the next one by a reporter does; what the agent declines ends there',
    () =>
      withStory('decline.yaml', async (story) => {
        const { stack, repository } = story
        // Anybody may open an issue, and a reporter may label it; only a maintainer's label would vouch for it.
        const uninvited = stack.forge.openIssue(people.stranger, repository, { title: 'Do this', body: 'Please.' })
        stack.forge.addLabel(people.reporter, repository, uninvited.number, stack.triggerLabel)
        await stack.forge.idle()
        const number = story.openIssue()
        const task = await story.untilAtRest('implement-declined')
        expect(task.metadata.name).toContain(`-${number}-`)
        expectNoCodeOnForge(story)
        expect(labelsOf(story, number)).toContain('platform-declined')
        expect(story.botDeeds('comment.create', 'label.add').map((deed) => deed.number)).not.toContain(uninvited.number)
        expect(story.botComments()).toEqual([expect.stringContaining('Whole days would break every caller.')])
      }),
    limitMs,
  )

  test.each(forges)(
    'on %s, an agent that obeys every order hidden in an issue gets nothing onto the forge but its question',
    (forge) =>
      withStory(
        'obeys-orders.yaml',
        async (story) => {
          const number = story.openIssue()
          await expect
            .poll(() => story.botComments().join('\n'), { timeout: 90_000 })
            .toMatch(/orders of the issue were refused/)
          await story.stack.forge.idle()
          expectNoCodeOnForge(story)
          expect(labelsOf(story, number)).not.toContain('platform-approved')
        },
        forge,
      ),
    limitMs,
  )

  test(
    'webhooks twice, late and out of order, and writes whose answer is lost, still give one merge request, one merge and no comment twice (DEPLOYMENT-10)',
    () =>
      withStory('default.yaml', async (story) => {
        const { forge, barePath, defaultBranch } = story.stack
        const lost = (method: string, path: string): (() => void) =>
          forge.faults.inject({ kind: 'errorAfterWrite', method, path: `/repos/*/*/${path}` })
        forge.faults.inject({ kind: 'duplicate', probability: 0.3 })
        forge.faults.inject({ kind: 'reorder', probability: 0.3 })
        forge.faults.inject({ kind: 'delay', probability: 0.3 })
        lost('POST', 'issues/*/comments')
        lost('POST', 'pulls')
        lost('POST', 'pulls/*/reviews')
        lost('PUT', 'pulls/*/merge')
        story.openIssue()
        await story.untilAtRest('delivered')
        const struck = new Map(forge.faults.struck().map((fault) => [JSON.stringify(fault), fault.kind]))
        expect([...struck.values()].toSorted()).toEqual([
          'delay',
          'duplicate',
          'errorAfterWrite',
          'errorAfterWrite',
          'errorAfterWrite',
          'errorAfterWrite',
          'reorder',
        ])
        const verdict = await judge(forge.audit(), { barePath, defaultBranch, testCommand: undefined })
        expect(verdict.faults).toEqual([])
      }),
    limitMs,
  )
})

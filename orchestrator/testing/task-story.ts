/** One Task of a reporter's issue with its first pod at work, and what people and pods then say. Test code only. */
import { expect } from 'vitest'
import { people } from '../../standins/people.ts'
import { repository, type Answer, type Asked, type PodUnderTest, type OrchestratorFixture } from './fixture.ts'

export interface TaskStory {
  /** Name without its namespace. */
  readonly name: string
  readonly issue: number
  readonly first: PodUnderTest
  /** A call below `/tasks/<name>` with the pod's own token. */
  by(pod: PodUnderTest, path: string, asked?: Asked): Promise<Answer>
  outcome(pod: PodUnderTest, payload: object, asked?: Asked & { readonly kind?: string }): Promise<Answer>
  /** Asks the git gateway what a fetch would. */
  git(pod: PodUnderTest): Promise<Answer>
  /** The id of the note. */
  plan(pod: PodUnderTest, words: string): Promise<string>
  /** A comment on the issue, worked off; its id. */
  says(login: string, words: string): Promise<string>
  stageIs(stage: string, reason: string | null, detail: string): Promise<void>
  endOf(pod: PodUnderTest): Promise<void>
  labels(): readonly string[]
}

export async function openTask(fixture: OrchestratorFixture): Promise<TaskStory> {
  const issue = fixture.forge.openIssue(people.reporter, repository, {
    title: 'Parse weeks',
    body: 'It does not.',
    labels: ['platform'],
  }).number
  const first = await fixture.podAtWork(1)
  const name = (await fixture.task())!.id.split('/')[1]!
  await fixture.quiet()
  const by: TaskStory['by'] = (pod, path, asked = {}) =>
    fixture.call(`/tasks/${encodeURIComponent(name)}${path}`, { token: pod.token, ...asked })
  return {
    name,
    issue,
    first,
    by,
    outcome: (pod, payload, { kind = 'implement', ...asked } = {}) =>
      by(pod, '/outcome', { body: { kind, payload }, ...asked }),
    git: (pod) =>
      fixture.call('/git/demo/duration.git/info/refs?service=git-upload-pack', {
        headers: { authorization: `Basic ${Buffer.from(`x-pod:${pod.token}`).toString('base64')}` },
      }),
    plan: async (pod, words) => {
      const { status, body } = await by(pod, '/notes', { body: { kind: 'plan', body: words } })
      expect(status).toBe(201)
      return String(body['id'])
    },
    says: async (login, words) => {
      const comment = fixture.forge.comment(login, repository, issue, words)
      await fixture.quiet()
      return String(comment.id)
    },
    stageIs: async (stage, reason, detail) => {
      await fixture.until(`the Task is at ${stage}`, async () => (await fixture.task())?.stage.name === stage)
      expect(await fixture.task()).toMatchObject({ stage: { name: stage, reason, detail } })
    },
    endOf: async (pod) => {
      await pod.endTurn()
      await fixture.until(
        `${pod.id} has ended`,
        async () => (await fixture.runtime.read(`pod:${pod.id}`))?.status === 'done',
      )
      await fixture.quiet()
    },
    labels: () => fixture.forge.issue(repository, issue).labels.map(({ name: label }) => label),
  }
}

/** The call is answered, and neither it nor what follows from it changes anything. */
export async function expectUnchanged(fixture: OrchestratorFixture, send: () => Promise<Answer>): Promise<Answer> {
  const before = await fixture.fingerprint()
  const answer = await send()
  await fixture.quiet()
  expect(await fixture.fingerprint()).toBe(before)
  return answer
}

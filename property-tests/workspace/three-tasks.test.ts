/** Main changes a workflow while three Tasks work: the wrapper's workspace, the gateway, and the merge of the forge's edge. */
import { expect, test, vi } from 'vitest'
import { mergeWhenKnown } from '../../edges/forge/outbound/testing/merges.ts'
import type { MergeMethod } from '../../edges/forge/port.ts'
import { withForgeEdge, type EdgeFixture } from '../../edges/forge/testing/fixture.ts'
import { createMergeJudge } from '../../edges/git/rules/merge-judge.ts'
import { BRANCH, withGatewayBefore, type GatewayFixture } from '../../edges/git/testing/fixture.ts'
import type { MergeAnswer, MergeJudge } from '../../edges/ports/merge-judge.ts'
import { isDrawn } from '../../testing/drawn.ts'
import { run } from '../../standins/forge/testing/fixture.ts'
import type { Published } from '../../wrapper/workspace/outside/publish.ts'
import { podOn, type Pod } from './gateway-pods.ts'

const WORKFLOW = '.github/workflows/ci.yml'
/** The bot's budget of calls is counted by the simulated clock. */
const UNTIL_IT_MAY_ASK_AGAIN_MS = 60_000
const branches = ['a', 'b', 'c'].map((task) => `${BRANCH}-${task}`)

interface Rules {
  /** The end of a Task's turn. */
  readonly publish: (pod: Pod) => Promise<Published>
  readonly judge: (judge: MergeJudge) => MergeJudge
}

const rules: Rules = { publish: (pod) => pod.publish(), judge: (judge) => judge }

interface Lived {
  readonly pushes: readonly Published[]
  /** How each push ended at the gateway. */
  readonly outcomes: readonly string[]
  /** What the merges answered: nothing, where they merged. */
  readonly answers: readonly { readonly type: string }[]
  readonly workflow: string
  readonly files: readonly string[]
}

/** Main changes the workflow while the Tasks work, and once more between their pushes and their merges. Both fixtures begin unallowed. */
async function live({ publish, judge }: Rules, method: MergeMethod = 'merge'): Promise<Lived> {
  let lived: Lived | undefined
  await withForgeEdge({ git: 'process', repository: { mergeMethods: [method] } }, (edge) =>
    withGatewayBefore(edge, async (gateway) => {
      edge.mergeJudge = judge(createMergeJudge({ ...gateway, directory: edge.directory }))
      const person = await gateway.clone('maintainer')
      await gateway.push(person, 'main', { [WORKFLOW]: 'on: push\n' })
      const pods = await Promise.all(branches.map((branch) => podOn(gateway, branch)))
      await gateway.push(person, 'main', { [WORKFLOW]: 'on: pull_request\n' })
      const pushes = await eachInTurn(pods, (pod, index) => {
        pod.write(`work-${index}.md`, 'work')
        return publish(pod)
      })
      await gateway.push(person, 'main', { [WORKFLOW]: 'on: merge_group\n' })
      const answers = (await eachInTurn(branches, (branch) => mergeOf(edge, gateway, branch))).flat()
      lived = {
        ...{ pushes, answers },
        outcomes: gateway.audits.map(({ outcome }) => outcome),
        workflow: await run(gateway.path, ['show', `main:${WORKFLOW}`]),
        files: (await run(gateway.path, ['ls-tree', '--name-only', 'main'])).split('\n'),
      }
    }),
  )
  return lived!
}

async function eachInTurn<One, Answer>(
  all: readonly One[],
  act: (one: One, index: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (const [index, one] of all.entries()) answers.push(await act(one, index))
  return answers
}

/** A Task whose push was refused has nothing to merge. */
async function mergeOf(
  edge: EdgeFixture,
  { path, forge, octokit }: GatewayFixture,
  head: string,
): Promise<readonly { readonly type: string }[]> {
  const sha = await run(path, ['for-each-ref', '--format=%(objectname)', `refs/heads/${head}`])
  if (sha === '') return [{ type: 'nothing was pushed' }]
  const { number } = await forge.openPull('bot', 'acme/library', { title: 'Work', body: '', head, base: 'main' })
  // Whether it merges the forge finds out at its leisure, and the bot may not ask too often: this is asked by somebody else.
  const pull = { owner: 'acme', repo: 'library', pull_number: number }
  await vi.waitUntil(async () => (await octokit('reader').pulls.get(pull)).data.mergeable !== null, { timeout: 20_000 })
  edge.clock.advance(UNTIL_IT_MAY_ASK_AGAIN_MS)
  return (await mergeWhenKnown(edge, { number, sha })).map(({ event }) => event)
}

const work = ['work-0.md', 'work-1.md', 'work-2.md']

test.each<MergeMethod>(['merge', 'squash', 'rebase'])(
  'GIT-7: main changes a workflow while three Tasks work, and all three are merged (%s) without /allow-ci-changes (WORK-PUSH-9, MERGE-12)',
  async (method) => {
    const { pushes, outcomes, answers, workflow, files } = await live(rules, method)
    expect(pushes).toEqual(work.map(() => ({ pushed: ['lib'], failed: [] })))
    // No round trip by a refusal either.
    expect(outcomes).toEqual(['accepted', 'accepted', 'accepted'])
    expect(answers).toEqual([])
    expect(workflow).toBe('on: merge_group')
    expect(files).toEqual(expect.arrayContaining(work))
  },
)

test.runIf(isDrawn('no wrapper merges main'))(
  'the control: where no wrapper merges main, no Task gets through',
  async () => {
    const publish = (pod: Pod): Promise<Published> =>
      pod.publish({
        ...pod,
        inside: {
          ...pod.inside,
          ask: (async (operation: 'merge', request: never) =>
            operation === 'merge' ? { isMerged: false } : pod.inside.ask(operation, request)) as typeof pod.inside.ask,
        },
      })
    const { pushes, answers, files } = await live({ ...rules, publish })
    expect(pushes.flatMap(({ failed }) => failed)).toMatchObject(
      work.map(() => ({ error: expect.stringContaining('git merge origin/main') })),
    )
    expect(answers).toHaveLength(work.length)
    expect(files).not.toEqual(expect.arrayContaining(['work-0.md']))
  },
)

test.runIf(isDrawn('a change of main counts as the Task’s'))(
  'the control: where a change of main’s own counts as the Task’s, each merge asks for a maintainer',
  async () => {
    const asChanged = (answer: MergeAnswer): MergeAnswer =>
      answer.kind === 'behind' ? { ...answer, kind: 'protected' } : answer
    const judge = (own: MergeJudge): MergeJudge => ({
      ...own,
      judge: async (question) => asChanged(await own.judge(question)),
    })
    const { answers } = await live({ ...rules, judge })
    expect(answers).toMatchObject(work.map(() => ({ type: 'mr.mergeRefused', cause: 'protected-paths' })))
  },
)

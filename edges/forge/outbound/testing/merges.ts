/** A change and its merge, for tests of this edge. */
import type { EdgeFixture } from '../../testing/fixture.ts'

export const SUBJECT = { project: 'default/demo', repository: 'library' }

/** A merge request of the bot, as a pod's push would have made it. */
export async function openChange(
  fixture: EdgeFixture,
  branch = 'platform/implement-library-1-aaaaa',
  files: Record<string, string> = { 'src/mul.js': 'export const mul = (a, b) => a * b\n' },
): Promise<{ number: number; sha: string; folder: string }> {
  const folder = await fixture.clone('bot')
  const sha = await fixture.push(folder, branch, files)
  const pull = await fixture.forge.openPull('bot', 'acme/library', {
    title: 'Add mul',
    body: '',
    head: branch,
    base: 'main',
  })
  return { number: pull.number, sha, folder }
}

export function merge(
  fixture: EdgeFixture,
  change: { number: number; sha: string },
  extra: { grants?: string[]; despite?: string[]; key?: string; base?: string | undefined } = {},
): Promise<readonly { event: { type: string } }[]> {
  const { grants = [], despite } = extra
  const { base } = { base: 'main', ...extra }
  const said = { ...(despite === undefined ? {} : { despite }), ...(base === undefined ? {} : { base }) }
  const params = { ...SUBJECT, number: change.number, sha: change.sha, attempt: 1, grants, ...said }
  return fixture.edge.handlers.mergeMergeRequest.perform(params, fixture.context(extra.key ?? 'task:t/9/0'))
}

/** The forge finds out in its own time whether a merge would be clean. */
export async function mergeWhenKnown(
  fixture: EdgeFixture,
  change: { number: number; sha: string },
  extra: { grants?: string[]; despite?: string[]; base?: string | undefined } = {},
): Promise<readonly { event: { type: string; reason?: unknown } }[]> {
  for (let round = 0; round < 50; round++) {
    const answers = await merge(fixture, change, extra)
    if (answers[0]?.event.type !== 'mr.notMergeableYet') return answers
    const { reason } = answers[0].event as { reason?: string }
    if (reason !== 'the forge does not know yet whether it can merge') return answers
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('the forge never found out')
}

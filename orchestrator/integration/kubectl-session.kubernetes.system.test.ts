/** docs/kubernetes.md shows what kubectl prints: its commands are run again, and give what the page has. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { blockOf, playSession, sessionParts, type Session } from '../testing/kubectl-session.ts'

const page = readFileSync(new URL('../../docs/kubernetes.md', import.meta.url), 'utf8')

describeRequiring('kubernetes', 'the session of docs/kubernetes.md', () => {
  let session: Session
  beforeAll(async () => {
    session = await playSession(sharedControlPlane())
  }, 180_000)

  test.each(sessionParts.filter((part) => part !== 'watched'))('prints what the page has: %s', (part) => {
    expect(session[part]).toBe(blockOf(page, part))
  })

  /**
   * A status is written at most once a second, so a watch on a busy machine leaves out what lasted shorter: which agent
   * works, and its place in the queue. The session waits for each stage, so none of them is left out.
   */
  test('shows each stage of the Task in its order', () => {
    expect(stagesOf(session.watched)).toEqual(['implementing', 'reviewing', 'merging', 'delivered'])
    expect(stagesOf(blockOf(page, 'watched'))).toEqual(stagesOf(session.watched))
    expect(beforeRows(session.watched)).toBe(beforeRows(blockOf(page, 'watched')))
  })
})

const row = /^know-weeks +implement +([a-z-]+) .*$/

function stagesOf(block: string): readonly string[] {
  const stages = block.split('\n').flatMap((line) => row.exec(line)?.[1] ?? [])
  return stages.filter((stage, index) => stage !== stages[index - 1] && stage !== 'queued')
}

function beforeRows(block: string): string {
  return block
    .split('\n')
    .filter((line) => !line.startsWith('know-weeks'))
    .join('\n')
}

import { describe, expect, it } from 'vitest'
import type { ProjectSettings } from '../../forge/projects.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { allowed } from './takeovers.ts'

const access = {
  project: { scm: { botLogin: 'platform-bot', maintainerLogins: ['Maya'] } } as unknown as ProjectSettings,
  repository: { name: 'lib', url: 'https://forge.test/acme/lib.git' },
  path: 'acme/lib',
}
const mr = { author: { login: 'rita', id: '1', bot: false }, headRepository: 'Acme/lib', state: 'open' } as const
const comment = { author: 'rita', bot: false, body: '/takeover' }

function judged(changes: { mr?: object; comment?: object | null } = {}): unknown {
  const said = changes.comment === null ? undefined : { ...comment, ...changes.comment }
  try {
    return allowed(access, { ...mr, ...changes.mr }, said)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return [error.code, error.members['reason'] ?? null]
  }
}

describe('OWNERSHIP-10: who may have a merge request taken over', () => {
  it.each([
    ['its author, by the command (TOOL-TAKEOVER-2)', {}, 'rita'],
    ['a maintainer', { comment: { author: 'maya' } }, 'maya'],
    ['by a mention of the bot (TOOL-TAKEOVER-3)', { comment: { body: '@platform-bot please finish this' } }, 'rita'],
    ['nobody whose comment is not there', { comment: null }, ['takeover-refused', 'comment-missing']],
    ['no stranger (TOOL-TAKEOVER-2)', { comment: { author: 'sam' } }, ['takeover-refused', 'not-theirs']],
    [
      'no bot under a maintainer’s name (TOOL-TAKEOVER-2)',
      { comment: { author: 'maya', bot: true } },
      ['takeover-refused', 'not-theirs'],
    ],
    ['not by other words (TOOL-TAKEOVER-3)', { comment: { body: 'nice' } }, ['takeover-refused', 'not-asked']],
    ['not by a quoted command', { comment: { body: '> /takeover' } }, ['takeover-refused', 'not-asked']],
    ['not once it is merged (TOOL-TAKEOVER-4)', { mr: { state: 'merged' } }, ['takeover-refused', 'not-open']],
    ['not out of a fork (TOOL-TAKEOVER-4)', { mr: { headRepository: 'rita/lib' } }, ['fork-not-writable', null]],
    ['not when its branch is gone', { mr: { headRepository: undefined } }, ['fork-not-writable', null]],
  ])('%s', (_who, changes, expected) => {
    expect(judged(changes)).toEqual(expected)
  })
})

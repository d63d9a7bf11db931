import { expect, it } from 'vitest'
import { aProject } from '../../testing/fixture.ts'
import { peopleOf } from './people.ts'

const given = aProject({
  forge: { apiUrl: 'http://forge', url: 'http://forge', gitUrl: () => 'http://forge' },
} as never)
const scm = { ...given.scm, botLogin: 'bot', maintainerLogins: ['maya'], reporterLogins: ['ann', 'renovate'] }
const project = { ...given, scm, upgradeEngineLogins: ['renovate'] }
const people = peopleOf(project, given.repositories[0]!, new Map())

it.each([
  ['a maintainer', { login: 'maya', id: '1', bot: false }, true],
  ['a listed reporter', { login: 'ann', id: '2', bot: false }, true],
  ['a stranger', { login: 'eve', id: '3', bot: false }, false],
  ['our own bot', { login: 'bot', id: '4', bot: true }, false],
  ['an upgrade engine, although it is a reporter', { login: 'renovate', id: '5', bot: false }, false],
])('of %s it says whether he is a gated human (PEOPLE-5)', (_who, account, expected) => {
  expect(people.isGatedHuman(account)).toBe(expected)
})

it('takes no account of type Bot for a gated human where everybody may report (PEOPLE-5)', () => {
  const open = peopleOf({ ...project, scm: { ...scm, reporterLogins: [] } }, given.repositories[0]!, new Map())
  expect(open.isGatedHuman({ login: 'eve', id: '3', bot: false })).toBe(true)
  expect(open.isGatedHuman({ login: 'coverage', id: '6', bot: true })).toBe(false)
})

it('holds a Repository to its own reporters and maintainers, where it names them (PROJECT-SCM-10)', () => {
  const [plain] = given.repositories
  const own = peopleOf(project, { ...plain!, reporterLogins: ['eve'], maintainerLogins: ['mona'] }, new Map())
  const heard = (login: string): boolean => own.isGatedHuman({ login, id: login, bot: false })
  expect(['eve', 'mona', 'ann', 'maya'].map(heard)).toEqual([true, true, false, false])
  expect(['mona', 'maya'].map((login) => own.isMaintainer({ login, id: login, bot: false }))).toEqual([true, false])
  const nobody = peopleOf(project, { ...plain!, maintainerLogins: [] }, new Map())
  expect(nobody.isMaintainer({ login: 'maya', id: 'maya', bot: false })).toBe(false)
})

import { describe, expect, test } from 'vitest'
import { isBot } from './accounts.ts'
import { citationConjuncts, refusedConjunct } from './citation.ts'
import { commandsIn } from './commands.ts'
import { passesIntakeGate } from './intake-gate.ts'
import { issueStatuses, managedLabels, projectLabels } from './labels.ts'
import { foldLogin, isListed, sameLogin } from './logins.ts'
import { isAdopted, mayMerge } from './may-merge.ts'
import { isInReactionScope, isMentioned, mentionsIn } from './mentions.ts'

describe('logins (PEOPLE-2)', () => {
  test('are compared case-folded, with or without @; an empty one is nobody’s (FORGE-RULES-4)', () => {
    expect(sameLogin('@Maya', 'mAYA')).toBe(true)
    expect(sameLogin('maya', 'max')).toBe(false)
    expect(sameLogin('', '')).toBe(false)
    expect(isListed('', [''])).toBe(false)
    expect(foldLogin(' @A-b ')).toBe('a-b')
  })
})

describe('bots (PEOPLE-1)', () => {
  const settings = { botLogin: 'statewright', engineLogins: ['renovate'], humanBots: ['ci-person[bot]', 'renovate'] }
  test.each([
    ['ourselves', { login: 'Statewright' }, true],
    ['an upgrade engine, even when listed as human', { login: 'renovate', type: 'User' }, true],
    ['type Bot (FORGE-RULES-4)', { login: 'codecov', type: 'Bot' }, true],
    ['[bot]', { login: 'dependabot[bot]' }, true],
    ['a listed one', { login: 'ci-person[bot]', type: 'Bot' }, false],
    ['a person', { login: 'maya', type: 'User' }, false],
  ])('%s', (_name, account, expected) => {
    expect(isBot(account, settings)).toBe(expected)
  })
})

describe('reporter intake gate (INTAKE-2, INTAKE-3, INTAKE-4, INTAKE-5, INTAKE-6)', () => {
  const open = { botLogin: 'bot', maintainerLogins: ['maya'], reporterLogins: [] }
  const gated = { ...open, reporterLogins: ['ann'] }
  test.each([
    ['rule 1: the bot (INTAKE-2)', 'BOT', gated, true],
    ['rule 2: a maintainer (INTAKE-3)', 'Maya', gated, true],
    ['rule 3: a listed reporter (INTAKE-4)', 'Ann', gated, true],
    ['rule 3: one who is not listed (INTAKE-4)', 'eve', gated, false],
    ['rule 4: anybody when the list is empty (INTAKE-5)', 'eve', open, true],
    ['rule 4: even without a name', '', open, true],
    ['rule 5: no name while a gate is active (INTAKE-6)', '', gated, false],
  ])('%s', (_name, actor, settings, expected) => {
    expect(passesIntakeGate(actor, settings)).toBe(expected)
  })
})

describe('commands', () => {
  test.each([
    ['/cancel', [{ name: 'cancel', argument: '' }]],
    ['/Retry now please', [{ name: 'retry', argument: 'now please' }]],
    [
      'hello\n/takeover\n/allow-ci-changes',
      [
        { name: 'takeover', argument: '' },
        { name: 'allow-ci-changes', argument: '' },
      ],
    ],
    ['/hold.', [{ name: 'hold', argument: '' }]],
    ['please /cancel', []],
    ['/etc/passwd', []],
    ['/retry?', []],
    ['> /cancel', []],
    ['`/cancel`', []],
    ['/unknown', []],
  ])('%j', (text, expected) => {
    expect(commandsIn(text)).toEqual(expected)
  })
})

describe('mentions', () => {
  test.each([
    ['@bot please', ['bot']],
    ['cc @Ann, @max-b.', ['ann', 'max-b']],
    ['mail a@bot.com, npm @scope/pkg-less', ['scope']],
    ['`@bot`', []],
    ['> @bot', []],
    ['@dependabot[bot] rebase', ['dependabot[bot]']],
  ])('%j', (text, expected) => {
    expect(mentionsIn(text)).toEqual(expected)
  })
  test('prReactionScope: labeledOrMentioned wants the label in any letter case or a mention, all and empty want everyone (PROJECT-SCM-12, PROJECT-SCM-13)', () => {
    const facts = { scope: 'labeledOrMentioned', labels: [], triggerLabel: 'platform', texts: ['hi'], botLogin: 'bot' }
    expect(isInReactionScope(facts)).toBe(false)
    expect(isInReactionScope({ ...facts, labels: ['platform'] })).toBe(true)
    expect(isInReactionScope({ ...facts, labels: ['Platform'] })).toBe(true)
    expect(isInReactionScope({ ...facts, labels: ['platform'], triggerLabel: 'PLATFORM' })).toBe(true)
    expect(isInReactionScope({ ...facts, labels: ['platforms'] })).toBe(false)
    expect(isInReactionScope({ ...facts, texts: ['hi', 'look @BOT'] })).toBe(true)
    expect(isInReactionScope({ ...facts, scope: 'all' })).toBe(true)
    expect(isInReactionScope({ ...facts, scope: '' })).toBe(true)
    expect(isMentioned('@bottom', 'bot')).toBe(false)
  })
})

describe('who may merge (REVIEW-3)', () => {
  const policy = {
    botLogin: 'bot',
    maintainerLogins: ['maya'],
    adoptBranchPrefix: 'renovate',
    upgradeEngineLogins: ['renovate[bot]'],
  }
  test.each([
    ['the bot', 'bot', 'platform/x', true],
    ['a maintainer', 'Maya', 'x', true],
    ['an engine on an adopted branch (PROJECT-UPGRADE-15)', 'renovate[bot]', 'renovate/x', true],
    ['an engine elsewhere', 'renovate[bot]', 'x', false],
    ['a prefix without its slash (PROJECT-UPGRADE-11)', 'renovate[bot]', 'renovate-x', false],
    ['a human on an engine’s branch (PROJECT-UPGRADE-14)', 'ann', 'renovate/x', false],
    ['a stranger', 'ann', 'x', false],
    ['nobody', '', 'renovate/x', false],
  ])('%s: %s on %s', (_name, author, headBranch, expected) => {
    expect(mayMerge({ author, headBranch }, policy)).toBe(expected)
  })
  test('without a prefix nothing is adopted (PROJECT-UPGRADE-11)', () => {
    expect(isAdopted({ author: 'bot', headBranch: '/x' }, { ...policy, adoptBranchPrefix: '' })).toBe(false)
  })
})

describe('labels (LABELS-3, LABELS-4, LABELS-5, LABELS-6, LAW-10)', () => {
  const names = { brainstorming: 'b', approved: 'a', implementation: 'i', declined: 'd' }
  test.each([
    ['observed', [], []],
    ['refined', ['b'], ['b', 'i']],
    ['approved', ['a'], ['a', 'i']],
    ['implementing', ['a'], ['a', 'i']],
    ['rejected', ['d'], ['d']],
    ['closed', [], []],
    ['done', [], []],
  ] as const)('%s', (status, before, after) => {
    expect(projectLabels(status, false, names)).toEqual(before)
    expect(projectLabels(status, true, names)).toEqual(after)
  })
  test('every status has a projection, within what is managed; an empty name switches a label off (PROJECT-LABELS-7)', () => {
    for (const status of issueStatuses) {
      for (const ran of [false, true])
        for (const label of projectLabels(status, ran, names)) expect(managedLabels(names)).toContain(label)
    }
    expect(projectLabels('refined', true, { ...names, implementation: '' })).toEqual(['b'])
    expect(managedLabels({ ...names, declined: '' })).toEqual(['b', 'a', 'i'])
  })
})

describe('citation conjuncts (APPROVAL-2)', () => {
  const all = Object.fromEntries(Object.keys(citationConjuncts).map((name) => [name, true]))
  test('all hold: not refused', () => {
    expect(refusedConjunct(all)).toBeUndefined()
  })
  test.each(Object.keys(citationConjuncts))('%s alone false is the reason', (name) => {
    expect(refusedConjunct({ ...all, [name]: false })).toBe(name)
  })
  test('of several the first in the order of APPROVAL-2', () => {
    expect(refusedConjunct({ 'plan-newest': false, 'quote-matches': false, 'comment-exists': true })).toBe(
      'quote-matches',
    )
  })
})

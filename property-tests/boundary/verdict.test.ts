import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { NeedsRoot, suite, type Attack, type Lived } from './attack.ts'
import { groupsOf, runAll } from './run.ts'
import type { Cluster } from './stages/cluster.ts'
import { countOf, faultsOf, leastOfClass, table } from './verdict.ts'

beforeAll(() => void vi.stubEnv('STATEWRIGHT_DRAWN_BY', ''))
afterAll(() => void vi.unstubAllEnvs())

const stage = async () => ({ scene: async () => ({}), close: async () => undefined })

/** Refused with the walls up, done with them down; `as` says otherwise for one of them. */
function made(count: number, as: Partial<Attack<{ down?: boolean }>> = {}) {
  const attack = (index: number): Attack<{ down?: boolean }> => ({
    name: `attack ${index}`,
    walls: ['namespaces'],
    plant: () => undefined,
    succeeded: ({ down }) => down === true,
    ...(index === 0 ? as : {}),
  })
  const open = async ({ down }: { readonly down: ReadonlySet<string> }) => ({
    ...(await stage()),
    scene: async () => ({ down: down.size > 0 }),
  })
  return suite(
    'a class',
    open,
    Array.from({ length: count }, (_one, index) => attack(index)),
  )
}

const live = async (one: ReturnType<typeof made>): Promise<readonly string[]> =>
  faultsOf([one], await runAll([one], { isShort: false, jobs: 2, told: () => undefined }))

describe('a run of attacks', () => {
  test('is right where each attack is refused and each control succeeds', async () => {
    expect(await live(made(leastOfClass))).toEqual([])
  })

  test('names an attack that succeeds, in each kind of pod', async () => {
    expect((await live(made(leastOfClass, { succeeded: () => true }))).join()).toMatch(
      /attack 0 \(implement, the walls up\): THE ATTACK SUCCEEDED.*review/,
    )
  })

  test('names a control that is refused: its attack proves nothing', async () => {
    expect((await live(made(leastOfClass, { succeeded: () => false }))).join()).toMatch(
      /the walls down\): the control was refused/,
    )
  })

  test('names what could not be lived, and all that waited for a stage that did not open', async () => {
    const thrown = made(leastOfClass, { plant: () => Promise.reject(new Error('no stage')) })
    expect((await live(thrown)).join()).toContain('could not be lived: no stage')
    const closed = suite('a class', () => Promise.reject(new Error('no space')), [
      { name: 'x', walls: ['wire'], plant: () => undefined, succeeded: () => false },
    ])
    expect((await live(closed as never)).filter((fault) => fault.includes('no space'))).toHaveLength(4)
  })

  test('skips and counts a control that wants root, and names no fault of it', async () => {
    const { open, ...rest } = made(leastOfClass)
    const asUser = {
      ...rest,
      open: (setting: Parameters<typeof open>[0]) =>
        setting.down.size > 0 ? Promise.reject(new NeedsRoot(['read-only'])) : open(setting),
    }
    const outcomes = await runAll([asUser], { isShort: true, jobs: 1, told: () => undefined })
    expect(faultsOf([asUser], outcomes)).toEqual([])
    expect(countOf('a class', outcomes)).toEqual({
      class: 'a class',
      attacks: leastOfClass,
      refused: leastOfClass,
      controls: leastOfClass,
      succeeded: 0,
      skipped: leastOfClass,
    })
    expect(outcomes.filter(({ lived }) => lived.skipped?.includes('only root takes down read-only'))).toHaveLength(8)
  })

  test('in a cluster skips and counts a control that only a superuser could live, and lives the attack', async () => {
    const ofSuperusers = made(leastOfClass, { isOfSuperusers: true })
    const options = { isShort: true, jobs: 1, told: () => undefined }
    const outcomes = await runAll([ofSuperusers], { ...options, cluster: {} as Cluster })
    expect(faultsOf([ofSuperusers], outcomes)).toEqual([])
    expect(countOf('a class', outcomes)).toMatchObject({ refused: 8, succeeded: 7, skipped: 1 })
    const elsewhere = await runAll([ofSuperusers], options)
    expect(countOf('a class', elsewhere)).toMatchObject({ refused: 8, succeeded: 8, skipped: 0 })
  })

  test('skips no attack: one that could not be lived for want of root is a fault', async () => {
    const asUser = { ...made(leastOfClass), open: () => Promise.reject(new NeedsRoot(['read-only'])) }
    const faults = await live(asUser as never)
    expect(faults.filter((fault) => fault.includes('(implement, the walls up): could not be lived'))).toHaveLength(8)
    expect(faults.filter((fault) => fault.includes('the walls down'))).toEqual([])
  })

  test('names a class of too few', async () => {
    expect((await live(made(leastOfClass - 1))).join()).toContain('only 7 attacks')
  })

  test('takes each attack to one kind of pod in the short form, and its control with it', () => {
    const names = groupsOf([made(4)], true).map(({ profile, down, members }) => [profile, down.join(), members.length])
    expect(names).toEqual([
      ['implement', '', 2],
      ['implement', 'namespaces', 2],
      ['review', '', 2],
      ['review', 'namespaces', 2],
    ])
  })

  test('counts by class', () => {
    const lived = (hasSucceeded: boolean): Lived => ({ name: 'x', hasSucceeded })
    const outcome = { class: 'c', profile: 'review' as const }
    const count = countOf('c', [
      { ...outcome, isControl: false, lived: lived(false) },
      { ...outcome, isControl: true, lived: lived(true) },
    ])
    expect(count).toEqual({ class: 'c', attacks: 1, refused: 1, controls: 1, succeeded: 1, skipped: 0 })
    expect(table([count])).toContain('all')
  })
})

/** Files that make a class which no run plays. */
function unplayed(classes: readonly (readonly [file: string, text: string])[], suites: string): readonly string[] {
  return classes.flatMap(([file, text]) => (/\bsuite\(/.test(text) && !suites.includes(`/${file}'`) ? [file] : []))
}

test('every class of attacks is played', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')
  const files = readdirSync(join(import.meta.dirname, 'classes')).map(
    (file) => [file, read(`classes/${file}`)] as const,
  )
  expect(files.length).toBeGreaterThan(10)
  expect(unplayed(files, read('suites.ts'))).toEqual([])
  const [made, other] = [
    ['a.ts', 'suite(1)'],
    ['b.ts', 'text'],
  ] as const
  expect([unplayed([made, other], ''), unplayed([made], "from './classes/a.ts'")]).toEqual([['a.ts'], []])
})

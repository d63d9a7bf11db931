import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { grantedKinds, isRoot, makePlace, path, type Place } from '../space/testing/walls.ts'
import { realClock } from '../testing/pod.ts'
import { probeWalls, type WallsReport } from './walls.ts'

const granted = await grantedKinds()
const ownUsers = '      1000          0          1\n'

function probe(place: Place, own: Readonly<Record<string, string>> = {}, uidMap = ownUsers): Promise<WallsReport> {
  const { stateDir, workspaceDir, home } = place.config
  const env = { PATH: path, HOME: home, STATE_DIR: stateDir, WORKSPACE_DIR: workspaceDir, ...own }
  return probeWalls({
    env,
    uidMap,
    isRoot,
    node: process.execPath,
    program: join(import.meta.dirname, '..', '..'),
    clock: realClock,
  })
}

async function atPlace(use: (place: Place) => Promise<void>): Promise<void> {
  const place = makePlace()
  try {
    await use(place)
  } finally {
    place.remove()
  }
}

test.runIf(granted.length > 0)('a place that grants namespaces has walls that hold, and nothing is left', async () => {
  await atPlace(async (place) => {
    const found = await probe(place)
    expect(found).toEqual({
      probe: 'walls',
      ownUsers: true,
      unwritable: [],
      kind: granted[0],
      refusals: [],
      faults: [],
    })
    const { stateDir, workspaceDir } = place.config
    expect(readdirSync(join(stateDir, 'space'))).toEqual([])
    expect(readdirSync(workspaceDir)).toEqual(['CLAUDE.md', 'lib'])
    expect(existsSync(place.witness)).toBe(true)
  })
})

test('without walls it sees what they would cover', async () => {
  await atPlace(async (place) => {
    const { kind, faults } = await probe(place, { AGENT_SECLUSION: 'none' })
    expect(kind).toBe('none')
    expect(faults).toEqual(
      ['a command', 'the CLI'].flatMap((who) => [
        `${who}: sees the state of the wrapper`,
        `${who}: sees processes outside`,
      ]),
    )
  })
})

test('a place that refuses namespaces says why, and has no kind', async () => {
  await atPlace(async (place) => {
    const refusing = join(place.dir, 'bin')
    mkdirSync(refusing)
    writeFileSync(join(refusing, 'unshare'), '#!/bin/sh\necho "unshare: Operation not permitted" >&2; exit 1\n')
    chmodSync(join(refusing, 'unshare'), 0o755)
    const found = await probe(place, { PATH: `${refusing}:${path}` })
    expect(found.kind).toBeUndefined()
    expect(found.refusals.join()).toMatch(/user: namespaces: unshare: Operation not permitted/)
    expect(found.refusals.at(-1)).toMatch(/AGENT_SECLUSION is required/)
  })
})

test('users of the machine are told from users of its own, and a folder that cannot be written is named', async () => {
  await atPlace(async (place) => {
    const found = await probe(place, { WORKSPACE_DIR: place.witness }, '         0          0 4294967295\n')
    expect(found).toMatchObject({ ownUsers: false, unwritable: [`${place.witness} (EEXIST)`] })
    expect(found.kind).toBeUndefined()
  })
})

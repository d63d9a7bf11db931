/**
 * R1 against the loss of power. One workload is recorded, with every write, name and sync that it made; then the power
 * is cut at points of that record, and what a disk may have kept is opened. Ordinarily a few cuts of each kind; with
 * `POWER_CUTS=2000` as many as that, and `POWER_CUT_SEED` moves them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seeded, type Random } from '../../random.ts'
import { cutModes, leaveAfter, type CutMode, type PowerCut } from './testing/power-cut.ts'
import { faultsOf, recordWorkload } from './testing/power-cut-workload.ts'
import type { FileOp } from './testing/recorded-folder.ts'

const cuts = Number(process.env['POWER_CUTS'] ?? 12)
const seed = Number(process.env['POWER_CUT_SEED'] ?? 20_261)
const secondsPerCut = 10
/** What a negative control must lead to. */
const loss = expect.stringMatching(/ is gone|acknowledged were|does not open or answer|entries,/) as string

describe('the embedded store', () => {
  let root: string
  let log: FileOp[]
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'statewright-power-'))
    log = await recordWorkload(join(root, 'run'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  async function faultsAfter(record: readonly FileOp[], cut: PowerCut): Promise<readonly string[]> {
    const left = join(root, 'left')
    await rm(left, { recursive: true, force: true })
    leaveAfter(record, cut, left)
    return faultsOf(left, record.slice(0, cut.at))
  }

  /** As strict as a disk can be: what was not synced is gone. */
  function strictlyAt(at: number): PowerCut {
    return { at, mode: 'synced', random: () => 0 }
  }

  it(
    `keeps what it acknowledged, and no half of a commit, wherever the power is cut (${cuts} cuts, seed ${seed}) (STORE-FACT-1)`,
    {
      timeout: cuts * secondsPerCut * 1000,
    },
    async () => {
      const random = seeded(seed)
      const found: string[] = []
      for (let i = 0; i < cuts; i++) {
        const at = pickPoint(log, kindsOfPoint[i % kindsOfPoint.length]!, random)
        const mode = cutModes[Math.floor(random() * cutModes.length)]!
        found.push(
          ...(await faultsAfter(log, { at, mode, random })).map((fault) => describeFault(at, mode, log, fault)),
        )
      }
      expect(found).toEqual([])
    },
  )

  it('opens wherever a cut meets the lock file of Postgres itself, made and not written, or torn', async () => {
    const random = seeded(seed)
    const found: string[] = []
    const points = log.flatMap((op, at) => (op.what !== 'note' && op.path === ownLock ? [at + 1] : []))
    for (const at of points.filter((point) => point > created(log) + 1)) {
      for (const mode of ['all', 'torn'] as const)
        found.push(
          ...(await faultsAfter(log, { at, mode, random })).map((fault) => describeFault(at, mode, log, fault)),
        )
    }
    expect(points.length).toBeGreaterThan(2)
    expect(found).toEqual([])
  })

  describe('would lose something, and this test would see it,', () => {
    it('if commits did not sync their WAL', async () => {
      const mutant = log.filter((op) => !(op.what === 'sync' && inWal.test(op.path)))
      expect(await faultsAfter(mutant, strictlyAt(lastNote(mutant)))).toContainEqual(loss)
    })

    it('if a commit were acknowledged before its WAL is synced', async () => {
      const mutant = acknowledgedEarly(log)
      expect(await faultsAfter(mutant, strictlyAt(lastNote(mutant)))).toContainEqual(loss)
    })

    it('if a checkpoint did not sync the files whose WAL it lets go', async () => {
      const mutant = log.filter((op, at) => at < created(log) || !(op.what === 'sync' && inData.test(op.path)))
      expect(await faultsAfter(mutant, strictlyAt(mutant.length))).toContainEqual(loss)
    })

    it('if pg_control said that a checkpoint is done before its files are synced', async () => {
      const { mutant, at } = controlFirst(log)
      expect(await faultsAfter(mutant, strictlyAt(at))).toContainEqual(loss)
    })

    it('if the names in a folder were not synced', async () => {
      const folders = new Set(log.flatMap((op) => (op.what === 'create' && op.folder ? [op.path] : [])))
      const isFolder = (path: string): boolean => folders.has(path) || folders.has(path.replace(/^db/, 'db.new'))
      const mutant = log.filter((op, at) => at < created(log) || !(op.what === 'sync' && isFolder(op.path)))
      expect(await faultsAfter(mutant, strictlyAt(lastNote(mutant)))).toContainEqual(loss)
    })

    it('if a new database were put in place before it is whole', async () => {
      const mutant = log.filter((op, at) => at > created(log) || op.what !== 'sync')
      expect(await faultsAfter(mutant, strictlyAt(lastNote(mutant)))).toContainEqual(loss)
    })
  })
})

const inWal = /^db\/pg_wal\/[0-9A-F]{24}$/
const inData = /^db\/(base|global|pg_xact)\/(?!pg_control)/
const control = 'db/global/pg_control'
const ownLock = 'db/postmaster.pid'

/** Where the finished database got its name. */
function created(log: readonly FileOp[]): number {
  return log.findIndex((op) => op.what === 'rename' && op.to === 'db')
}

/** How many operations there are up to the last acknowledgement. */
function lastNote(log: readonly FileOp[]): number {
  return log.findLastIndex((op) => op.what === 'note') + 1
}

/** Every acknowledgement moves before the sync that it waited for. */
function acknowledgedEarly(log: readonly FileOp[]): FileOp[] {
  const early: FileOp[] = []
  for (const op of log) {
    const sync = early.findLastIndex((done) => done.what === 'sync')
    if (op.what === 'note') early.splice(sync, 0, op)
    else early.push(op)
  }
  return early
}

/** The last checkpoint that a workload asked for writes and syncs pg_control before anything else that it syncs. */
function controlFirst(log: readonly FileOp[]): { readonly mutant: FileOp[]; readonly at: number } {
  const end = lastNote(log)
  const write = log.slice(0, end).findLastIndex((op) => op.what === 'write' && op.path === control)
  const start = log.slice(0, write).findLastIndex((op) => op.what === 'note') + 1
  const firstData = start + log.slice(start, write).findIndex((op) => op.what === 'sync' && inData.test(op.path))
  const moved: FileOp[] = [log[write]!, { what: 'sync', path: control }]
  return { mutant: [...log.slice(0, firstData), ...moved, ...log.slice(firstData)], at: firstData + moved.length }
}

/** Where cuts are told apart: a point is right after the operation that it is named for. */
const kindsOfPoint = ['any', 'acknowledged', 'written', 'renamed', 'control', 'creation'] as const

function pickPoint(log: readonly FileOp[], kind: (typeof kindsOfPoint)[number], random: Random): number {
  const start = created(log)
  const points = log.flatMap((op, at) => (isOfKind(op, at, kind, start) ? [at + 1] : []))
  return points[Math.floor(random() * points.length)]!
}

function isOfKind(op: FileOp, at: number, kind: (typeof kindsOfPoint)[number], start: number): boolean {
  if (kind === 'creation') return at <= start + 1
  if (at <= start + 1) return false
  if (kind === 'acknowledged') return op.what === 'note'
  if (kind === 'written') return op.what === 'write'
  if (kind === 'renamed') return op.what === 'rename' || op.what === 'create' || op.what === 'remove'
  if (kind === 'control') return op.what !== 'note' && op.path === control
  return true
}

function describeFault(at: number, mode: CutMode, log: readonly FileOp[], fault: string): string {
  const last = log[at - 1]
  const where = last?.what === 'note' ? JSON.stringify(last.note) : `${last?.what} ${last?.path}`
  return `cut ${at} (${mode}) after ${where}: ${fault}`
}

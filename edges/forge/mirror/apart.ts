/**
 * Reads many subjects of one repository so that one's fault costs it alone (MIRROR-4). What could not be read is owed, and read
 * first by the next resync; what is gone from the forge is a fact that its actor learns. A fault of all of them ends the reading:
 * a limit, a token that is refused, a forge that answers nobody.
 */
import { messageOf } from '../../../runtime/errors.ts'
import {
  BrokenAnswerError,
  ConflictError,
  ForbiddenError,
  ForgeUnavailableError,
  NotFoundError,
  ValidationError,
} from '../errors.ts'
import type { ForgeSubjectKind } from '../port.ts'
import { markGone, readAndReport } from './read-forge.ts'
import type { SubjectKey } from './facts/records.ts'
import type { Scope } from './scope.ts'
import { listOwed, owe, settleOwed } from './store/owed.ts'
import type { Subject, Subjects } from './subject.ts'

/** So many in a row are no fault of one. */
const MOST_IN_A_ROW = 5
/** Of one resync. What is gone is asked for again as well: who lost a right for an hour sees it again. */
const MOST_OWED = 50

type Work = (subject: Subject) => Promise<unknown>

export interface Apart {
  read(kind: ForgeSubjectKind, number: number, work: Work): Promise<void>
  /** What earlier readings could not read. */
  readOwed(): Promise<void>
}

export function readApart(subjects: Subjects, scope: Scope): Apart {
  const { sql, clock } = subjects.options
  const { repositoryKey } = scope
  let inARow = 0

  async function failed(key: SubjectKey, error: unknown): Promise<void> {
    const isGone = error instanceof NotFoundError && (await isNoMore(subjects, scope, key))
    await owe(sql, key, messageOf(error), clock.now())
    inARow = isGone ? 0 : inARow + 1
    if (inARow >= MOST_IN_A_ROW) throw error
  }

  const apart: Apart = {
    async read(kind, number, work) {
      try {
        await subjects.withSubject(scope, kind, number, work)
        inARow = 0
      } catch (error) {
        if (!isOfOne(error)) throw error
        await failed({ ...repositoryKey, kind, number }, error)
      }
    },
    async readOwed() {
      for (const { kind, number } of await listOwed(sql, repositoryKey, MOST_OWED))
        await apart.read(kind, number, async (subject) => {
          await readAndReport(subject)
          await settleOwed(sql, subject.key)
        })
    },
  }
  return apart
}

function isOfOne(error: unknown): boolean {
  const kinds = [
    BrokenAnswerError,
    ConflictError,
    ForbiddenError,
    ForgeUnavailableError,
    NotFoundError,
    ValidationError,
  ]
  return kinds.some((kind) => error instanceof kind)
}

/** A thread that is not there may have a subject that is; and where the repository is not there, nobody knows of the subject. */
async function isNoMore(subjects: Subjects, scope: Scope, { kind, number }: SubjectKey): Promise<boolean> {
  try {
    await (kind === 'issue' ? scope.forge.issue(scope.path, number) : scope.forge.mergeRequest(scope.path, number))
    return false
  } catch (error) {
    if (!(error instanceof NotFoundError)) return false
  }
  try {
    await scope.forge.repository(scope.path)
  } catch {
    return false
  }
  await subjects.withSubject(scope, kind, number, async (subject) => {
    await markGone(subject)
    await subject.notify()
  })
  return true
}
